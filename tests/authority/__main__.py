"""`python -m tests.authority > docs/authority.md`."""

from tests.authority.page import page

if __name__ == "__main__":
    print(page(), end="")
