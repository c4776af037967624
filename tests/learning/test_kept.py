"""What is kept from one epoch to the next."""

import pickle

from treewright.learning.kept import Kept


def test_things_are_made_once_as_long_as_there_is_room():
    made = []

    def make(number):
        made.append(number)
        return bytes(10)

    kept = Kept(room=25)
    for _ in range(3):
        for number in range(4):
            assert kept.get(number, lambda number=number: make(number), len) == bytes(10)
    assert made == [0, 1, 2, 3, 2, 3, 2, 3]


def test_what_is_small_enough_is_kept_after_what_is_too_large():
    kept = Kept(room=5)
    assert kept.get(0, lambda: bytes(6), len) == bytes(6)
    assert kept.get(1, lambda: b"small", len) == b"small"
    assert kept.get(1, lambda: b"other", len) == b"small"
    assert kept.get(0, lambda: b"other", len) == b"other"


def test_workers_get_the_room_but_not_the_things():
    kept = Kept(room=5)
    kept.get(0, lambda: b"here", len)
    sent = pickle.loads(pickle.dumps(kept))
    assert sent.get(0, lambda: b"there", len) == b"there"
    assert sent.get(1, lambda: b"more", len) == b"more"
    assert sent.get(1, lambda: b"else", len) == b"else"
