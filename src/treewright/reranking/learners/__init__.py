"""Learners: what finds the weights of a linear reranker.

In the order of Collins and Koo (2005, section 4): `differences` are the pairs of candidates that margins depend on, and
`losses` their ExpLoss and LogLoss.  `boosting` runs the algorithm of Figure 4; its kernels are the `rounds`, and
`champions` find the best feature.  `selection` chooses features by LogLoss itself (section 4.6).  Both are `stagewise`:
they take rounds, keep their `history`, and follow the `learning_curve` on dev data (section 5.3).  `log_linear` and
`perceptron` weigh all features at once.
"""
