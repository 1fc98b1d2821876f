"""The words of the pages, in English; a study file can replace each under `texts`."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "welcome": "You will be shown things and asked which of them are more alike.",
    "consent": (
        "Taking part is voluntary, and you can stop at any time. We store your answers, how long "
        "you took for them, and the participant number with which you came; nothing else about "
        "you. You can have your answers removed."
    ),
    "agree": "I agree and want to take part",
    "decline": "I do not want to take part",
    "instructions": (
        "There are no right or wrong answers: choose what seems right to you. You can use the "
        'mouse, touch, or the keys 1, 2, 3, ...; the key 0 stands for "can\'t tell".'
    ),
    "begin": "Begin",
    "practice": "Practice: this answer does not count.",
    "practice_done": "That was the practice. Now the answers count.",
    "cant_tell": "Can't tell",
    "undo": "Undo the last answer",
    "break": "Time for a short break. Continue whenever you like.",
    "continue": "Continue",
    "debrief": "That was all. Thank you very much for your answers!",
    "code": "Your completion code:",
    "finish": "Finish",
    "withdraw": "Stop and remove my answers",
    "withdrawn": "Your answers have been removed. You can close this page.",
    "confirm_withdraw": "Remove all your answers? This cannot be undone.",
    "declined": "You chose not to take part. You can close this page.",
    "screened_out": "Thank you. You can not take part any further.",
    "closed": "This study is closed at the moment. Thank you for your interest.",
    "waiting": "No question is ready; please wait a moment.",
    "lost": "The connection is lost; your answer is kept here and sent again.",
    "progress": "Question {done} of {total}",
}
"""All texts by key."""
