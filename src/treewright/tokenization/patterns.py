"""The shapes of tokens, as one regular expression that is matched against chunks of text without spaces.

Matching takes linear time on every input: whatever can fail after reading ahead is either bounded in length, or is
possessive and followed by an alternative that consumes what was read.
"""

from __future__ import annotations

import re

from treewright.tokenization.characters import CJK, MARKS, WORD
from treewright.tokenization.languages import Language

__all__ = ["token_pattern"]

_DOMAINS = (
    "com|org|net|edu|gov|mil|info|biz|int|io|tv|eu|uk|de|fr|es|pt|br|it|nl|be|ch|at|se|no|dk|fi|ie|pl|cz|sk|hu"
    "|ru|ua|lt|lv|ee|jp|cn|kr|au|nz|ca|us|ar|mx|cl|tr|gr|ro|hr|si|za"
)
_EXTENSIONS = (
    "docx?|xlsx?|pptx?|pdf|txt|rtf|csv|html?|xml|json|jpe?g|png|gif|bmp|tiff?|mp[34]|avi|mov|zip|gz|tar|exe|dll"
    "|py|js|css|php|asp|jsp|url|wav|svg|md|odt|dtf"
)
#: What no address has in it: besides quotation marks, the punctuation of Chinese and Japanese.
_NO_ADDRESS = r'<>"“”«»\u3001-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65'
_IN_BRACKETS = rf"\([^(){_NO_ADDRESS}]{{1,99}}+\)"
_WEB = rf"""
    (?:(?:https?|ftp|file|news|mailto|ymsgr):(?=[/\w])|www\.)
        (?>{_IN_BRACKETS}|[^{_NO_ADDRESS}])*(?:{_IN_BRACKETS}|[^{_NO_ADDRESS}.,;:!?'’)\]}}…*|])
  | [\w.+%-]{{1,64}}+@\w[\w-]*+(?:\.\w[\w-]*+)*+
  | (?:\w[\w-]{{0,62}}+\.){{1,6}}(?i:{_DOMAINS})(?![\w-]|\.\w)(?:/[\w/.~%?=&\#+-]{{0,999}}[\w/])?
  | (?<!\w)[\w\#~%&!-]{{1,80}}+\.(?i:{_EXTENSIONS})(?!\w)
  | (?<!\w)@(?=[^\W\d]){WORD}
"""
_EMOTICON = r"""
    [:;=][-'o^]?(?:[)(\]\[]++|[DPpO3/|\\*$](?![\w/]))(?!\w)
  | (?<!\w)(?:>:\(|<3(?!\d)|\^_+\^|-_+-|[oO]_[oO](?!\w)|\(:(?!\w)|=D(?!\w))
"""
_PICTURE = "[\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
_TINT = "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*+"
_EMOJI = rf"""
    [\U0001f1e6-\U0001f1ff]{{2}}
  | {_PICTURE}{_TINT}(?:\u200d{_PICTURE}{_TINT})*+
"""
_PUNCTUATION = rf"""
    [.!?…]{{2,}}+
  | [-=*~_+|<>^{{}}]{{3,}}+
  | (?P<same>[-–—=*~_+|<>^\#$'`’])(?P=same)++
  | ‘’
  | .[{MARKS}]*+
"""
_SHORT = r"""
    (?<![\w/])(?:[wW]/(?:o(?:ut)?)?|[^\W\d_]/[^\W\d_])(?![\w/])
  | (?<![\w'’])['’](?:\d\ds?|em|til|tis|twas|cause|n)(?![\w'’])
"""
#: How many pieces a word or a number may have, so that backtracking is bounded.
_PARTS = 16
_FINAL_DOT = r"(?:\.(?![\w.…]))?"
_PHONE = r"""
    \+?\d{1,6}(?:[-./]\d{2,7}){2,5}(?![\w-]) | (?:\d{3}|\d{5})-\d{4}(?![\w-])
"""


def token_pattern(language: Language) -> re.Pattern[str]:
    """Compile the expression for one language.

    The name of the group that matched is the kind of token: a ``word`` or ``number`` (with a full stop after it) that
    may have to be split further, a run of Chinese or Japanese (``cjk``), or else a whole token, such as an ``emoji``.
    """
    marks = ".'’`&·@" + (r"\-‐‑" if language.hyphens else "") + (":" if language.colons else "")
    inner = rf"(?:[{marks}]|(?<=\d),(?=\d))"
    prefix = rf"(?:(?i:{language.prefixes})[-‐])?+" if language.prefixes else ""
    suffix = ""
    if language.open_hyphens:
        prefix, suffix = r"(?:(?<![\w-])-)?", r"(?:-(?![\w-]))?"
    special = f"| (?P<special>{language.special})" if language.special else ""
    web = _WEB if language.spaces else rf"(?a:{_WEB.replace(_NO_ADDRESS, _NO_ADDRESS + CJK)})"
    cut = rf"|(?=(?i:{language.units})(?!\w))" if language.units else ""
    after = r"(?![\w'’&@]|-\w)" if language.hyphens else r"(?![\w'’&@])"
    return re.compile(
        rf"""
        (?P<web>{web}) | (?P<emoticon>{_EMOTICON}) | (?P<emoji>{_EMOJI}) | (?P<phone>{_PHONE}) | (?P<short>{_SHORT})
        {special}
      | (?P<number>(?:(?<!\w)[+.])?\d++(?:[.,:/]\d++){{0,{_PARTS}}}+
            (?:(?:st|nd|rd|th|['’]?s|d)(?![\w'’]){cut}|{after}){_FINAL_DOT})
      | (?P<cjk>[{CJK}]++)
      | (?P<word>{prefix}{WORD}(?:{inner}{WORD}){{0,{_PARTS}}}+{suffix}{_FINAL_DOT})
      | {_PUNCTUATION}
        """,
        re.VERBOSE | re.DOTALL,
    )
