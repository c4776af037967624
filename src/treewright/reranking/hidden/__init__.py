"""Hidden-variable models for reranking (Koo and Collins 2005)."""
