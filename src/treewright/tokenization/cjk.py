"""Words in Chinese and Japanese text, which has no spaces, by the kinds of its characters.

This is only a rough segmentation: a change of script ends a word, runs of Han characters are cut into pairs, and a
short list of grammatical words (particles, auxiliaries, pronouns) is looked up, longest first.
"""

from __future__ import annotations

import re
from functools import cache

from treewright.tokenization.characters import HAN, HIRAGANA, KATAKANA

__all__ = ["segment"]

_JAPANESE_WORDS = (
    "の に は を た て が で と も れ さ し な や か だ へ ず ん ら せ ば き つ い お ね よ み る ご "
    "いる する ある から こと ない です ます など なっ その まし この いう れる よう ため あり まで "
    "もの また これ あっ られ なる より なく だっ おり よる つい さん なり それ なかっ できる よっ "
    "でき しかし だけ ませ でし たち られる たい そう ここ なら たり とても ながら おい いっ いい ほど "
    "とも せる ところ たら さらに いく のみ とき ほか そして しか どう なお こう かなり くれ および "
    "うち でしょう よく まま とっ しまう おけ そこ ほとんど こちら それぞれ いつ すぐ ただ けど しまい "
    "あまり しまっ ただし って くれる かつて たく ください すべて あれ まず わけ あるいは ほぼ なけれ "
    "そんな べき だろう たくさん ごと もう しよう にて てる くらい やっ くる やすい もちろん もらい "
    "ばかり じゃ しれ いずれ よい まだ どの つつ もらっ みんな どこ いただき みたい らしい いき こそ "
    "どれ こんな もっと ずつ すでに なぜ ちょっと つまり どんな はず ましょう"
)
_JAPANESE = "|".join(sorted(_JAPANESE_WORDS.split(), key=len, reverse=True))

#: Hiragana that start a new word after a Han character; others end a verb or an adjective.
_PARTICLE = "のにはをがでともへやかなたしすさだまよほ"
_ENDING = f"(?![{_PARTICLE}])[{HIRAGANA}](?:[るいくっ](?![{KATAKANA}{HAN}]))?"

_CHINESE_WORDS = (
    "的 在 是 為 为 和 於 于 了 個 个 他 她 它 我 你 有 與 与 也 被 之 這 这 那 而 但 會 会 其 以 並 "
    "并 位 所 等 來 来 及 從 从 對 对 到 將 将 由 此 至 該 该 不 都 或 還 还 亦 可 要 就 很 最 把 向 "
    "則 则 又 年 月 日 著 着 地 得 曾 每"
)
_CHINESE = "".join(_CHINESE_WORDS.split())
_PIECES = {
    "ja": rf"[{KATAKANA}]++|[{HAN}]{{2}}(?=[{HAN}]{{2}})|[{HAN}]{{2}}(?=[{HAN}])|[{HAN}]{{1,2}}(?:{_ENDING})?"
    rf"|{_JAPANESE}|[{HIRAGANA}]",
    "zh": rf"[{KATAKANA}]++|[{HIRAGANA}]++|[{_CHINESE}]|[{HAN}](?:(?![{_CHINESE}])[{HAN}])?",
}
_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")


@cache
def _pattern(code: str) -> re.Pattern[str]:
    return re.compile(_PIECES[code])  # which takes a while: only for such text


def segment(text: str, code: str) -> list[tuple[int, int]]:
    """Cut a run of Han, hiragana and katakana characters into words, and return their offsets.

    Examples
    --------
    >>> [("東京に行った")[a:b] for a, b in segment("東京に行った", "ja")]
    ['東京', 'に', '行っ', 'た']
    """
    if code not in _PIECES:
        code = "ja" if _KANA.search(text) else "zh"
    return [match.span() for match in _pattern(code).finditer(text)]
