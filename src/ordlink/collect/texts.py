"""The words of the participants' pages, in English; a study file can replace each under `texts`."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "language": "en",
    "welcome": "You will see several things and be asked which of them are more alike.",
    "consent_title": "Before you begin",
    "consent": (
        "Taking part is voluntary, and you can stop at any time. We store your answers, how long "
        "each took, and the participant id in your link, but nothing else about "
        "you. You can have your answers removed."
    ),
    "agree": "I agree and want to take part",
    "decline": "I do not want to take part",
    "preview": "This is a preview. Accept the task to take part.",
    "instructions_title": "How it works",
    "instructions": (
        "There are no right or wrong answers: choose what seems right to you, by clicking or "
        "tapping it. Every question looks like this:"
    ),
    "key_choose": "choose",
    "practice": "Practice: this answer does not count.",
    "ready_title": "Ready",
    "practice_done": "That was the practice. From now on your answers count.",
    "reference": "Compare with this",
    "option": "Option {number}",
    "picture": "picture",
    "audio": "sound",
    "video": "film",
    "choose": "Choose {number}",
    "first": "1st",
    "second": "2nd",
    "cant_tell": "Can't tell",
    "undo": "Undo last answer",
    "break_title": "A short break",
    "break": "Time for a short break. Continue whenever you like.",
    "continue": "Continue",
    "debrief_title": "Thank you!",
    "debrief": "You have finished. Thank you very much for your answers!",
    "code": "Your completion code:",
    "copy": "Copy the code",
    "copied": "Copied.",
    "finish": "Finish",
    "withdraw": "Stop and remove my answers",
    "withdrawn": "Your answers have been removed. You can close this page.",
    "asked_to_withdraw": (
        "You are using another device than the one on which you started. The researchers have been "
        "told that you want your answers removed and have to confirm it. You can close this "
        "page."
    ),
    "confirm_withdraw": "Remove all your answers? This cannot be undone.",
    "cancel": "Go back",
    "end_title": "The end",
    "declined": "You chose not to take part. You can close this page.",
    "declined_late": (
        "You have already taken part, and your answers are kept. To have them removed, agree once "
        "more and choose “Stop and remove my answers” at the bottom of the next page."
    ),
    "screened_out": "Thank you. Your participation ends here.",
    "closed": "This study is closed at the moment. Thank you for your interest.",
    "waiting_title": "One moment",
    "waiting": "No question is ready yet; please wait a moment.",
    "loading": "One moment, please.",
    "lost": "The connection was lost; your answer is kept here and will be sent again.",
    "back": "Connected again.",
    "late": "Your last answer came too late and was not stored. Please continue here.",
    "outdated": (
        "The study was opened in another window. Nothing was stored from this one; please continue "
        "with what is shown now."
    ),
    "missing": "cannot be shown",
    "failed": "Something went wrong. Please reload the page.",
    "reload": "Reload the page",
    "no_scripts": "This page needs JavaScript.",
    "progress_label": "Progress",
    "progress": "Question {done} of {total}",
}
"""All texts by key; `language` is the code of the language in which they are written."""
