"""The parser of Carreras, Collins and Koo (2008): spines, dynamic programs, and a perceptron."""
