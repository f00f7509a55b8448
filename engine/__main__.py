"""``python -m engine``: play the printed example of the classic game."""

from engine.classic_api import main

main()
