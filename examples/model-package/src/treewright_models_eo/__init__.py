"""Models of Esperanto: the files *.tw beside this one.  Treewright finds them here and never imports this package."""
