"""Lists laid end to end, against Python lists."""

import numpy as np

from treewright.reranking.candidates.offsets import gather, offsets_of


def test_offsets_begin_at_zero_and_end_at_the_total():
    assert offsets_of([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert offsets_of([]).tolist() == [0]
    assert offsets_of(np.array([True, False, True])).tolist() == [0, 1, 1, 2]


def test_lists_are_taken_in_any_order_and_more_than_once():
    lists = [[5, 6], [], [7, 8, 9]]
    entries, offsets = np.concatenate(lists), offsets_of(list(map(len, lists)))
    for rows in ([2, 0], [1], [0, 0, 2, 1], []):
        gathered, places = gather(offsets, np.array(rows, np.int64))
        assert entries[places].tolist() == [entry for row in rows for entry in lists[row]]
        assert np.diff(gathered).tolist() == [len(lists[row]) for row in rows]
