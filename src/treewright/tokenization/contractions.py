"""Contractions: tokens that are several syntactic words in Universal Dependencies, by language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

__all__ = ["CONTRACTIONS", "ENCLITICS", "english_clitics", "like"]


def like(form: str, words: tuple[str, ...]) -> tuple[str, ...]:
    """Capitalize the words of a contraction like its form.

    Examples
    --------
    >>> like("Du", ("de", "le")), like("DU", ("de", "le"))
    (('De', 'le'), ('DE', 'LE'))
    """
    if len(form) > 1 and form.isupper():
        return tuple(word.upper() for word in words)
    if form[:1].isupper():
        return (words[0][:1].upper() + words[0][1:], *words[1:])
    return words


def _table(lines: str) -> dict[str, tuple[str, ...]]:
    pairs = (line.split("=") for line in lines.split())
    return {form: tuple(words.split("+")) for form, words in pairs}


def _portuguese() -> dict[str, tuple[str, ...]]:
    table = _table(
        "ao=a+o aos=a+os à=a+a às=a+as pelo=por+o pela=por+a pelos=por+os pelas=por+as num=em+um numa=em+uma "
        "nuns=em+uns numas=em+umas dum=de+um duma=de+uma duns=de+uns dumas=de+umas daí=de+aí dali=de+ali "
        "daqui=de+aqui donde=de+onde doutro=de+outro doutra=de+outra noutro=em+outro noutra=em+outra "
        "doutros=de+outros doutras=de+outras noutros=em+outros noutras=em+outras "
        "àquele=a+aquele àquela=a+aquela àqueles=a+aqueles àquelas=a+aquelas àquilo=a+aquilo"
    )
    second = "o a os as ele ela eles elas este esta estes estas esse essa esses essas isto isso"
    far = "aquele aquela aqueles aquelas aquilo"
    for word in (second + " " + far).split():
        table["d" + word] = ("de", word)
        table["n" + word] = ("em", word)
    return table


CONTRACTIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "de": _table(
        "im=in+dem am=an+dem zum=zu+dem vom=von+dem zur=zu+der beim=bei+dem ins=in+das ans=an+das "
        "aufs=auf+das fürs=für+das ums=um+das durchs=durch+das übers=über+das unters=unter+das vors=vor+das "
        "hinters=hinter+das unterm=unter+dem überm=über+dem hinterm=hinter+dem"
    ),
    "en": _table(
        "cannot=can+not gonna=gon+na wanna=wan+na gotta=got+ta gimme=gim+me lemme=lem+me outta=out+ta "
        "dont=do+nt doesnt=does+nt didnt=did+nt cant=ca+nt wont=wo+nt couldnt=could+nt wouldnt=would+nt "
        "shouldnt=should+nt isnt=is+nt arent=are+nt wasnt=was+nt werent=were+nt havent=have+nt hasnt=has+nt "
        "hadnt=had+nt aint=ai+nt im=i+m ive=i+ve youre=you+re youve=you+ve youll=you+ll theyre=they+re "
        "theyve=they+ve thats=that+s theres=there+s whats=what+s hes=he+s shes=she+s"
    ),
    "es": _table("del=de+el al=a+el"),
    "fi": _table(
        "ettei=että+ei etten=että+en ettet=että+et ettemme=että+emme ettette=että+ette etteivät=että+eivät "
        "ellei=jos+ei ellen=jos+en ellet=jos+et ellemme=jos+emme elleivät=jos+eivät jollei=jos+ei "
        "vaikkei=vaikka+ei miksei=miksi+ei"
    ),
    "fr": _table(
        "du=de+le des=de+les au=à+le aux=à+les duquel=de+lequel desquels=de+lesquels "
        "desquelles=de+lesquelles auquel=à+lequel auxquels=à+lesquels auxquelles=à+lesquelles"
    ),
    "cs": _table(
        "aby=aby+by abych=aby+bych abys=aby+bys abychom=aby+bychom abyste=aby+byste kdyby=když+by "
        "kdybych=když+bych kdybys=když+bys kdybychom=když+bychom kdybyste=když+byste"
    ),
    "pt": _portuguese(),
}

_ENGLISH_CLITIC = re.compile(r"(?i)(?<=\w)(?:n['’`]t|['’`](?:s|m|d|re|ve|ll))$")


def english_clitics(form: str) -> tuple[str, ...] | None:
    """Split the clitics off an English word; None if there are none.

    Examples
    --------
    >>> english_clitics("couldn't've")
    ('could', "n't", "'ve")
    >>> english_clitics("O'Brien") is None
    True
    """
    found: list[str] = []
    while match := _ENGLISH_CLITIC.search(form):
        found.append(match.group())
        form = form[: match.start()]
    return (form, *reversed(found)) if found else None


_PORTUGUESE = re.compile(r"(?i)(\w{2,})-(se|[nl]?[oa]s?|me|te|nos|vos|lhes?)")
_SPANISH = re.compile(r"([a-záéíóúñ]{2,}(?:[aei]r|ír))(se|l[eo]s?|selos?|selas?)")
_SPANISH_GERUND = re.compile(r"([a-záéíóúñ]+)(ándo|éndo)(se|l[aeo]s?|me|te|nos)")


def _portuguese_enclitic(form: str) -> tuple[str, ...] | None:
    match = _PORTUGUESE.fullmatch(form)
    return match.groups() if match else None


def _spanish_enclitic(form: str) -> tuple[str, ...] | None:
    if match := _SPANISH.fullmatch(form):
        verb, clitic = match.groups()
        return (verb, "se", clitic[2:]) if len(clitic) > 3 else (verb, clitic)
    if match := _SPANISH_GERUND.fullmatch(form):
        stem, ending, clitic = match.groups()
        return stem + ending.replace("á", "a").replace("é", "e"), clitic
    return None


#: Pronouns attached to the verb: for each language, a rule that splits a form or returns None.
ENCLITICS: Mapping[str, Callable[[str], tuple[str, ...] | None]] = {
    "en": english_clitics,
    "es": _spanish_enclitic,
    "pt": _portuguese_enclitic,
}
