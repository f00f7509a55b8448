"""``python -m engine``: play the printed example of the classic game."""

from .classic_api import main

main()
