"""Candidates: the lists of trees that a reranker chooses from (Collins and Koo 2005, section 5.1).

In the order of their making: `listing` trains base parsers and lists the k best trees of each sentence; `kinds` says
what it must know of constituents and of dependencies; `scored_lists` adds features and gold scores; `builder` collects
them into `candidates`, the columns that everything else works on; `files` and `archive` read and write them.  `origin`
records how candidates were listed, `strings` holds many strings in two arrays, and `scoring` computes F(x).
"""
