"""What finds the weights of linear rerankers: boosting, selection, log-linear models, the perceptron."""
