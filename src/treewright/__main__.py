"""``python -m treewright`` is the command line."""

from treewright.cli import main

if __name__ == "__main__":
    main()
