r"""Classes of characters, written as they go between the brackets of a regular expression.

Python's ``\w`` leaves out combining marks, without which the words of many scripts fall apart.  ``MARKS`` has them
(Unicode categories Mn, Mc and Me), as ranges that may also include letters between two marks.
"""

from __future__ import annotations

__all__ = ["CJK", "CLOSERS", "HAN", "HIRAGANA", "JOINERS", "KATAKANA", "MARKS", "SPACE", "WORD"]

#: White space, control characters, surrogates, and invisible marks between words.
SPACE = r"\s\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b\u202a-\u202e\u2066-\u2069\ufeff"

_MARK_RANGES = (
    "300-36f 483-489 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e8 6ea-6ed 711-7f3 "
    "7fd 816-82d 859-85b 898-8e1 8e3-963 981-9e3 9fe-a75 a81-ae3 afa-b63 b82-bd7 c00-c63 c81-c83 cbc-d4d "
    "d57-d63 d81-df3 e31-e3a e47-e4e eb1-ecd f18-f19 f35 f37 f39 f3e-f84 f86-fbc fc6 102b-103e 1056-109d "
    "135d-135f 1712-1734 1752-17d3 17dd 180b-180d 180f-193b 1a17-1a1b 1a55-1a7f 1ab0-1b44 1b6b-1b73 "
    "1b80-1bf3 1c24-1c37 1cd0-1cd2 1cd4-1dff 20d0-20f0 2cef-2cf1 2d7f-2dff 302a-302f 3099-309a a66f-a672 "
    "a674-a67d a69e-a6f1 a802-a827 a82c a880-a8c5 a8e0-a8f1 a8ff-a92d a947-a953 a980-a9c0 a9e5-aa4d "
    "aa7b-aac1 aaeb-aaef aaf5-aaf6 abe3-abea abec-abed fb1e fe00-fe0f fe20-fe2f 101fd-1037a 10a01-10a3f "
    "11000-11046 11070-110ba 11100-11134 11180-111c0 1122c-11237 112df-11446 1145e-114c3 115af-115c0 "
    "11630-11640 116ab-116b7 1e8d0-1e94a e0100-e01ef"
)

MARKS = "".join("-".join(chr(int(end, 16)) for end in piece.split("-")) for piece in _MARK_RANGES.split())

#: Joiners, the soft hyphen and direction marks, which are part of a word.
JOINERS = "\u00ad\u061c\u200c-\u200f\u2060"

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
HIRAGANA = "\u3041-\u309f"
KATAKANA = "\u30a0-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"

CJK = HAN + HIRAGANA + KATAKANA

#: A run of letters, digits, underscores, marks and joiners, without Chinese and Japanese.
WORD = rf"[^\W{CJK}]++(?:[{MARKS}{JOINERS}]++[^\W{CJK}]*+)*+"

#: What may come between the end of a sentence and the space after it.
CLOSERS = "\"'”’»›)\\]}」』）】》〉］｝＂＇"
