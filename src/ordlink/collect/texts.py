"""The texts of the participants' pages; a study file can replace each under `texts`."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "language": "en",  # code of the language of all texts
    "welcome": "You will see several things and be asked which of them are more alike.",
    "consent_title": "Before you begin",
    "consent": (
        "Taking part is voluntary, and you can stop at any time. We store your answers and when "
        "you gave them, how long each took, whether you used a mouse, touch or keyboard, how often "
        "you left the page, and the participant id in your link, but nothing else about you. You "
        "can have your answers removed."
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
    "video": "video",
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
        "Your link was used on more than one device, so the researchers must confirm the removal "
        "of your answers. They have been notified. You can close this page."
    ),
    "confirm_withdraw": "Remove all your answers? This cannot be undone.",
    "cancel": "Go back",
    "end_title": "Finished",
    "declined": (
        "You chose not to take part. You can close this page. If you have answered questions "
        "before and want your answers removed, open the link again, agree, and choose “Stop and "
        "remove my answers” at the bottom of the next page."
    ),
    "bad_link": "This link is not valid. Please use the link that you were sent.",
    "return": "I have already taken part",
    "screened_out": "Thank you. Your participation ends here.",
    "closed": "This study is closed at the moment. Thank you for your interest.",
    "waiting_title": "One moment",
    "waiting": "No question is ready yet; please wait a moment.",
    "loading": "One moment, please.",
    "lost": (
        "The connection was lost; your answer is saved on this device and will be sent again."
    ),
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
