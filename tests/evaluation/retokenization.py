"""Systems that cut a text otherwise than the gold standard does, with trees and tags partly their own."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from treewright.treebank import Sentence

TAGS = {"lemmas": ["a", "_"], "upos": ["NOUN", "VERB", "_"], "xpos": ["NN", "_"]}
FEATURES = ["_", "Case=Nom", "Number=Sing|Case=Nom", "Typo=Yes", "Case=Nom|Typo=Yes"]
RELATIONS = ["nsubj", "nsubj:pass", "obl", "det", "case", "aux:pass", "punct", "root", "dep"]


@dataclass
class Word:
    form: str
    columns: dict[str, str]
    deprel: str
    origin: tuple[int, int] | None  # the gold word that it is
    head: tuple[int, int] | None  # the gold head


@dataclass
class Token:
    surface: str
    words: list[Word] = field(default_factory=list)
    ends_sentence: bool = False


def tokens_of(sentences: list[Sentence]) -> list[Token]:
    tokens = []
    for k, sentence in enumerate(sentences):
        ranges = {}
        for before, line in sentence.asides:
            identifier, surface, *_ = line.split("\t")
            if "-" in identifier:
                ranges[before] = (int(identifier.partition("-")[2]), surface)
        i = 0
        while i < len(sentence):
            last, surface = ranges.get(i, (i + 1, sentence.forms[i]))
            tokens.append(Token(surface, [_word(sentence, k, j) for j in range(i, last)]))
            i = last
        tokens[-1].ends_sentence = True
    return tokens


def _word(sentence: Sentence, k: int, i: int) -> Word:
    columns = {name: getattr(sentence, name)[i] for name in (*TAGS, "feats")}
    return Word(sentence.forms[i], columns, sentence.deprels[i], (k, i), (k, int(sentence.heads[i]) - 1))


def _new(form: str, like: Word) -> Word:
    return Word(form, dict(like.columns), like.deprel, None, like.head)


def retokenize(tokens: list[Token], rate: float, rng: random.Random) -> list[Token]:
    """Merge and split tokens, turn words into multiword tokens and back, and move the ends of sentences."""
    done: list[Token] = []
    for token in tokens:
        new = _cut(token, rng) if rng.random() < rate else [token]
        if done and rng.random() < rate:  # a merger
            before, first = done.pop(), new[0]
            surface = before.surface + first.surface
            words = before.words + first.words if rng.random() < 0.5 else [_new(surface, before.words[0])]
            new[0] = Token(surface, words, first.ends_sentence)
        done += new
    for token in done:
        token.ends_sentence ^= rng.random() < rate / 4
    done[-1].ends_sentence = True
    return done


def _cut(token: Token, rng: random.Random) -> list[Token]:
    surface, first, end = token.surface, token.words[0], token.ends_sentence
    place = rng.randint(1, max(len(surface) - 1, 1))
    parts = [part for part in (surface[:place], surface[place:]) if part.strip()]
    kind = rng.choice(["tokens", "words", "contraction", "whole", "space", "case"])
    if kind == "tokens":
        pieces = [Token(part, [_new(part, first)]) for part in parts]
        pieces[-1].ends_sentence = end
        return pieces
    if kind == "words" and len(parts) == 2:
        return [Token(surface, [_new(part, first) for part in parts], end)]
    if kind == "contraction":
        return [Token(surface, [_new(rng.choice(["de", "a", surface]), first) for _ in range(rng.randint(2, 3))], end)]
    if kind == "whole" and len(token.words) > 1:
        return [Token(surface, [_new(surface, first)], end)]
    if kind == "space" and len(token.words) == 1:
        spaced = rng.choice([" ", "\u00a0", "\u2003"]).join(parts)
        return [Token(spaced, [Word(spaced, first.columns, first.deprel, first.origin, first.head)], end)]
    words = [Word(w.form.swapcase(), w.columns, w.deprel, w.origin, w.head) for w in token.words]
    return [Token(surface, words, end)] if len(words) > 1 else [token]


def to_conllu(tokens: list[Token], rate: float, rng: random.Random) -> str:
    """Write tokens with trees that are as much like the gold ones as the words allow."""
    blocks, sentence = [], []
    for token in tokens:
        sentence.append(token)
        if token.ends_sentence:
            blocks.append(_block(sentence, rate, rng))
            sentence = []
    return "".join(blocks)


def _block(sentence: list[Token], rate: float, rng: random.Random) -> str:
    words = [word for token in sentence for word in token.words]
    heads, lines, i = _heads(words, rate, rng), [], 0
    for token in sentence:
        if len(token.words) > 1:
            lines.append(f"{i + 1}-{i + len(token.words)}\t{token.surface}" + "\t_" * 8)
        for word in token.words:
            columns = {
                name: rng.choice(values) if rng.random() < rate else word.columns[name] for name, values in TAGS.items()
            }
            feats = rng.choice(FEATURES) if rng.random() < rate else word.columns["feats"]
            deprel = rng.choice(RELATIONS) if rng.random() < rate else word.deprel
            lines.append("\t".join([str(i + 1), word.form, *columns.values(), feats, str(heads[i]), deprel, "_", "_"]))
            i += 1
            if rng.random() < rate / 10:
                lines.append(f"{i}.1\tempty" + "\t_" * 8)
    return "\n".join(lines) + "\n\n"


def _heads(words: list[Word], rate: float, rng: random.Random) -> list[int]:
    """Find a tree with a single root: gold heads where they are in the sentence, and others where that is no tree."""
    places = {word.origin: i for i, word in enumerate(words, 1) if word.origin is not None}
    root = next((i for i, word in enumerate(words, 1) if word.head is not None and word.head[1] < 0), 1)
    heads = [0] + [places.get(word.head, root) for word in words]
    for i in range(1, len(heads)):
        if rng.random() < rate:
            heads[i] = rng.randint(1, len(words))
    heads[root] = 0
    for i in range(1, len(heads)):
        seen, at = set(), i
        while at and at not in seen:
            seen.add(at)
            at = heads[at]
        if at and i != root:
            heads[i] = root
    return heads[1:]
