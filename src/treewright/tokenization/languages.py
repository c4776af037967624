"""What differs between languages: hyphens, abbreviations, ordinal numbers, elisions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

__all__ = ["Language", "language_of"]

_ENGLISH_PREFIXES = (
    "e|non|pre|anti|mid|re|post|co|over|pro|multi|ex|sub|semi|cross|neo|psycho|socio|arch|counter|intra|inter|micro"
    "|un|ultra|super|quasi|pseudo|bi|de|under|trans|hyper"
)
_ENGLISH_UNITS = (
    "[ap]m|[ap]\\.m|[kmbfcpx]|bn|mm|cm|km|kg|kb|mb|gb|tb|lbs?|oz|ft|sqft|k?hz|mph|mpg|percent|mins?|minutes|hrs?"
    "|hours?|days|watts?"
)


@dataclass(frozen=True, slots=True)
class Language:
    """How one language is written; prefixes, units and special tokens are alternatives of a regular expression."""

    code: str = ""  # ISO 639; empty for the rules of languages that are not listed
    spaces: bool = True  # whether there are spaces between words; without, other letters end an address
    hyphens: bool = True  # whether a hyphen is part of the word (*peut-être*), or a token (*well - known*)
    open_hyphens: bool = False  # whether a hyphen at the end or the start of a word is part of it (*tv- og radio*)
    colons: bool = False  # whether a colon inside a word is part of it (*EU:n*)
    prefixes: str = ""  # where hyphens are tokens: those that keep theirs
    units: str = ""  # split from the number before them
    special: str = ""  # other tokens that are not split
    abbreviations: frozenset[str] = frozenset()  # words that end in a full stop, in lower case and without it
    titles: frozenset[str] = frozenset()  # abbreviations that do not end a sentence
    dots: bool = True  # whether the full stop of an abbreviation is part of the token
    ordinals: bool = False  # whether the full stop after a number is part of the token
    elision: re.Pattern[str] | None = None  # split off the front of a word with an apostrophe
    enclitic: re.Pattern[str] | None = None  # split off the end of a word with a hyphen


_COMMON = "vs etc no nr vol inc ltd co corp jr sr al cf p pp tel ca"
_COMMON_TITLES = "dr prof mr mrs ms st"


def _make(code: str, abbreviations: str = "", titles: str = "", **rules: Any) -> Language:
    names = frozenset(f"{_COMMON_TITLES} {titles}".split())
    words = frozenset(f"{_COMMON} {abbreviations}".split()) | names
    return Language(code, abbreviations=words, titles=names, **rules)


_FRENCH_ELISION = re.compile(r"(?i)(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu)['’](?=\w)")
_FRENCH_ENCLITIC = re.compile(r"(?i)(?<=\w)-(?:t-)?(?:ils?|elles?|on|je|tu|nous|vous|ce|moi|toi|leur|l[ae]s?|en|y)$")
_IRISH_ELISION = re.compile(r"(?i)(?:[dbm]|th|dh)['’](?=\w)")

_LANGUAGES = (
    _make(
        "en",
        "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat "
        "sun ave blvd rd hwy dept univ est approx attn ext eg ie esp info yrs yr mins min hrs hr lb "
        "lbs oz fig figs ed eds bros assn conf et tex calif fla mass conn pa va la que ont misc incl "
        "para spec rec ph mob fax arrv",
        "gen sen rep gov lt col sgt capt cpt maj rev hon pres adm cmdr supt messrs ft mt reps sens fr sra",
        hyphens=False,
        prefixes=_ENGLISH_PREFIXES,
        units=_ENGLISH_UNITS,
    ),
    _make("pt", "art arts ed av cia pág págs fund nº séc sécs bros exmo", "sr sra srta dra profa eng d dom"),
    _make("es", "sra ud uds av ing núm pág págs art ee uu", "sr sra srta dra profa d dña ing", hyphens=False),
    _make("fr", "mm mme mlle art", "m mm mme mlle", elision=_FRENCH_ELISION, enclitic=_FRENCH_ENCLITIC),
    _make("de", "bzw z.b usw ggf az str abs hr fr mio mrd jh geb", "hr fr", hyphens=False, ordinals=True),
    _make("da", "kr bl mia pct stk kl kg mill pr f.eks dvs bla osv hr", "hr kl", ordinals=True, open_hyphens=True),
    _make(
        "nl",
        "kg chr enz bv d.w.z",
        "drs ir mevr dhr",
        open_hyphens=True,
        special=r"(?<![\w'’])['’][tnsk](?![\w'’])",
    ),
    _make(
        "sv",
        "kap kl dvs resp sid tr fig proc milj mån ff t.ex bl.a m.m",
        "kungl",
        ordinals=True,
        open_hyphens=True,
        colons=True,
    ),
    _make("fi", "esim mm jap lat ukr ven vihr ns klo", ordinals=True, open_hyphens=True, colons=True),
    _make("hr", "sv tzv npr itd", ordinals=True),
    _make("hu", "rt kft kht bp ifj id stb pl kb", "ifj id", ordinals=True, open_hyphens=True),
    _make("sl", "npr št oz red str mag itd doc t.i", "mag doc", ordinals=True),
    _make("ga", "uimh srl lch lgh teo", elision=_IRISH_ELISION),
    _make(
        "gd",
        special=r"(?<![\w'’])(?:(?:a|ars|bh?|th|dh?|m)['’](?![\w'’])|['’](?:[sngm]|na|ga|san?|dol|ic)(?!\w))",
    ),
    _make(
        "ru",
        "ил пер ст англ гг г гр руб тыс др см изд нем франц млн млрд обл т.е т.д т.п",
        "им ул см",
        special=r"\){2,}+",
    ),
    _make("cs", "", "ing mgr např čl odst písm sb č", hyphens=False, dots=False),
    _make("sk", "", "ing mgr napr čl č", hyphens=False, dots=False),
    _make("lt", "mln mlrd tūkst pvz vyr gen šv švč", "g m d", dots=False),
    _make("tr", "", ordinals=True),
    _make("ja", spaces=False),
    _make("zh", spaces=False),
    _make("af", "bv par bl", "mnr mev", special=r"(?<![\w'’])['’]n(?![\w'’])"),
)
_BY_CODE = {language.code: language for language in _LANGUAGES}


@cache
def language_of(name: str) -> Language:
    """Look up the rules of a language; an unknown one gets those that hold for most languages.

    The name is an ISO 639 code, with or without a region (``"pt"``, ``"pt-BR"``, ``"pt_BR"``).

    Examples
    --------
    >>> language_of("en-GB").code
    'en'
    """
    code = name.replace("_", "-").split("-")[0].lower()
    return _BY_CODE.get(code) or _make(code)
