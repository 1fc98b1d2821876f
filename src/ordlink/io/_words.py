"""Column names: the words by which the roles of columns are recognised.

English, German, French and Spanish, and the exports of jsPsych, PsychoPy, Gorilla, Salmon, NEXT,
lab.js, OpenSesame and E-Prime. Names are compared in plain form (`plain_name`), by their tokens.
"""

from __future__ import annotations

import re
import unicodedata


def _ordered(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


REFERENCE = _words(
    "head center centre reference ref anchor target standard probe query sample cue stimulus "
    "prompt referenz anker ziel zielreiz zentrum vorgabe standardreiz "
    "modele cible ancre etalon modelo referencia objetivo ancla muestra"
)
OBJECTS: dict[str, frozenset[str]] = {
    "anchor": REFERENCE,
    "closer": _words(
        "winner positive near nearer closest similar more_similar chosen selected preferred "
        "naher nahe ahnlicher ahnlich gewahlt ausgewahlt gewinner bevorzugt"
    ),
    "farther": _words(
        "loser negative far further dissimilar less_similar unchosen not_chosen unselected "
        "not_selected rejected ferner fern weiter unahnlicher unahnlich weniger_ahnlich "
        "nicht_gewahlt verlierer abgelehnt"
    ),
}
"""Other names of the columns of a plain triplet."""
RESPONSE = _words(
    "response resp answer answered choice chosen chose selected selection select pick picked "
    "click clicked roi keypress winner odd oddball outlier central decision judgment judgement "
    "press pressed key keys button vote similar alike typical typischsten representative zentral "
    "zentralste zentraler typisch centrale typique tipico tipica sel antwort "
    "auswahl ausgewahlt gewahlt wahl entscheidung reaktion aussenseiter taste ahnlicher reponse "
    "choix choisi choisie selectionne touche bouton clic jugement respuesta eleccion elegido "
    "elegida seleccion seleccionado escogido tecla boton juicio result like centraal scelta "
    "risposta antwoord keuze"
)
NO_RESPONSE = _words(
    "time times rt latency id ids correct corr accuracy acc type onset offset start end started "
    "stopped duration score count order zeit reaktionszeit richtig dauer ms s "
    "date datum category block temps tr duree debut tiempo duracion inicio correcte correcta "
    "correcto acierto cresp mapping counterbalance counterbalancing hand handedness"
)
"""With one of these, a name is not that of a response: response_time, answer_id."""

LESS_ALIKE = (
    r"(least|less)_(similar|alike|like)|different|differs|differences?|dissimilar|farther|farthest|further|furthest"
    r"|unahnlich[a-z]*|(weniger|wenigsten)_ahnlich|verschiedener|anders"
    r"|minder_gelijk|verschillend|meno_simile|moins_(semblable|similaire|proche|ressemblant)|differente|diferentes?|diferencia|unterschied[a-z]*|menos_(similar|parecid[oa])|distint[oa]"
)
"""What says that the chosen one is less alike."""
FORM_WORDS = {
    "odd-one-out": rf"{LESS_ALIKE}|odd|oddball|outlier|not_belong|not_fit|aussenseiter|unpassend"
    "|abweichend|passt_nicht|gehort_nicht|ausreisser|eindringling|intrus[eoa]?",
    "most-central": "centrale?|centraal|center|centre|middle|(proto)?typical|representative|zentrum"
    "|mitte|(typisch|zentral|representati|tipic|typique)[a-z]*",
}
"""What the name of a response to three items, or the text of a question, says was asked."""
TITLES = {
    "odd-one-out": "odd_(one|item|man)(_out)?|oddity|intrus[eoa]?|aussenseiter|not_belong",
    "most-central": "(most|plus|mas|am)_(central|typical|representative|typisch|zentral)[a-z]*",
}
"""The same, of what may be about something else, such as the name of a file."""

POSITIONS: tuple[tuple[str, ...], ...] = (
    ("left", "right"),
    ("left", "middle", "right"),
    ("left", "center", "right"),
    ("left", "centre", "right"),
    ("links", "rechts"),
    ("links", "mitte", "rechts"),
    ("linkes", "rechtes"),
    ("top", "bottom"),
    ("oben", "unten"),
    ("first", "second"),
    ("first", "second", "third"),
    ("erstes", "zweites"),
    ("erstes", "zweites", "drittes"),
    ("left", "mid", "right"),
    ("gauche", "droite"),
    ("gauche", "milieu", "droite"),
    ("gauche", "centre", "droite"),
    ("haut", "bas"),
    ("premier", "deuxieme"),
    ("premier", "deuxieme", "troisieme"),
    ("izquierda", "derecha"),
    ("izquierda", "centro", "derecha"),
    ("izquierda", "medio", "derecha"),
    ("izq", "der"),
    ("arriba", "abajo"),
    ("primero", "segundo"),
    ("primero", "segundo", "tercero"),
    ("top", "left", "right"),
    ("links", "midden", "rechts"),
    ("boven", "onder"),
    ("sinistra", "destra"),
    ("sinistra", "centro", "destra"),
)
"""Words that tell item columns apart, and that answers may be given as."""
PLACES = frozenset(word for words in POSITIONS for word in words)
SIDES = _words("left right links rechts linkes rechtes gauche droite izquierda derecha izq der")
"""Places that a key may stand for."""

TRIAL = _words("trial question durchgang frage essai ensayo")
ITEM = _words(
    "item stimulus stim image object word picture option reiz bild wort mot palabra imagen"
)
"""What columns are called that say which trial a row belongs to, and which item it holds."""
RANKS = _words("rank ranked rang rango")
"""What columns of options are called that are in the order of their similarity."""
PAIR = _words("pair paar paire par couple")
"""What the columns of two pairs are called."""

YES_NO = (
    ("1", "0"),
    ("true", "false"),
    ("yes", "no"),
    ("ja", "nein"),
    ("wahr", "falsch"),
    ("oui", "non"),
    ("si", "no"),
)
"""What a column such as chose_left says."""
ABOVE = _words("top oben above upper haut arriba")
"""Where a reference stands, above what is on the left and on the right."""

KEYS: tuple[tuple[str, ...], ...] = (
    *(("37", "39"), ("70", "74")),  # codes of the arrows, and of f and j
    *(("arrowleft", "arrowright"), ("leftarrow", "rightarrow"), ("f", "j"), ("d", "k")),
    *(("q", "p"), ("z", "m"), ("y", "m"), ("a", "l"), ("k", "l"), ("l", "r")),
    *(("g", "d"), ("l", "m", "r"), ("l", "c", "r"), ("j", "k", "l"), ("a", "s", "d")),
)
"""Keys for left and right, or left, middle and right."""

DETAILS: dict[str, tuple[str, ...]] = {
    "count": ("counts",),
    "answer": (),
    "annotator": _ordered(
        "annotator_id worker worker_id workerid participant participant_id subject subject_id "
        "subject_nr subj subj_id puid user user_id prolific_pid participant_private_id "
        "participant_public_id rater sub pid respondent_id participant_code "
        "versuchsperson vp vpn vp_nr proband proband_id "
        "teilnehmer teilnehmer_id person run_id session_id response_id ppt ppt_id observer judge "
        "sujet juge observateur sujeto participante juez observador"
    ),
    "time": ("timestamp", "datetime", "datetime_received", "date", "datum", "zeitpunkt"),
    "response_time": _ordered(
        "rt rt_ms response_time_ms response_time_s responsetime reaction_time reactiontime "
        "key_resp_rt resp_rt mouse_time latency reaktionszeit reaktionszeit_ms rz rz_ms duration "
        "temps_de_reponse temps_reponse tiempo_de_respuesta tiempo_respuesta tiempo_reaccion"
    ),
    "chose_first": (),
}
"""Columns of details, and their other names, best first."""

NOT_TRIALS = _words(
    "practice practise check attention attention_check catch catch_trial repeat example demo "
    "excluded cant_tell warmup warm_up instruction instructions ubung uebung probedurchgang "
    "beispiel aufmerksamkeit training familiarisation entrainement exemple practica entrenamiento "
    "ejemplo learn tutorial golden rejected cancelled oefening survey_preview spam"
)
"""Cells of a column of kinds that mark rows to leave out."""
FILLED = _words("practice practise warmup golden catch ubung uebung entrainement practica")
"""What a column is about that only rows to leave out fill: practice.thisN."""
KIND_COLUMNS = _words(
    "category kind type phase block task condition trial label part stage alg set phase "
    "samplealg display screen practice check catch attention excluded cant durchgang bedingung "
    "teil sender procedure running training bloc tache etape entrainement bloque tarea fase etapa "
    "practica status golden cancelled blockcode trialcode blockname"
)
"""Tokens of the names of columns that may say what kind of trial a row is."""
MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "#n/a", "undefined", "timeout"))
"""Cells that say there is no answer."""
NO_ANSWER = _words(
    "- -- . x -1 -9 -77 -88 -99 -999 99 999 9999 missing skipped no_response keine fehlend"
) | {
    "no response",
    "no answer",
    "too slow",
    "keine antwort",
    "zu langsam",
    "pas de reponse",
    "sans reponse",
    "sin respuesta",
    "time out",
    "timed out",
    "noresponse",
    "can t tell",
    "cant tell",
    "cannot tell",
    "can t say",
    "cannot say",
    "don t know",
    "dont know",
    "do not know",
    "not sure",
    "undecided",
    "weiss nicht",
    "weis nicht",
    "ich weiss nicht",
    "keine angabe",
    "unentschieden",
    "ne sais pas",
    "je ne sais pas",
    "no se",
    "no lo se",
    "no_key",
    *("timelimit", "time limit", "k a", "equal", "same", "tie", "both", "neither", "gleich"),
    *("sans opinion", "no opinion", "keine meinung", "sin opinion", "non so", "non lo so"),
    *("geen antwoord", "weet niet"),
}
"""Responses that say the same, unless they are one of the items."""


_THINGS = (
    "image|img|picture|pic|photo|item|object|word|stimulus|stim|option|file|filename|name|bild|wort"
    "|begriff|imagen|foto|mot|palabra"
)


def plain_name(name: str) -> str:
    """Return a name in lower case without accents, words joined by "_": "Item 1" is item_1."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    letters = unicodedata.normalize("NFKD", name.casefold())
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[^a-z0-9]+", "_", bare).strip("_")


def object_role(plain: str, role: str) -> int:
    """Return how well a name is that of an object of a form: 2, 1 (closer_image) or 0."""
    known = OBJECTS.get(role, frozenset()) | {role}
    bare = re.sub(rf"_({_THINGS})$|^({_THINGS})_", "", plain)
    return 2 if plain in known else int(bare in known)


def tokens(plain: str) -> frozenset[str]:
    """Return the words of a plain name, without the numbers at their ends."""
    return frozenset(re.sub(r"\d+$", "", word) for word in plain.split("_"))


def is_response(plain: str) -> bool:
    """Return whether a column may be the response."""
    beginnings = ("antwort", "auswahl", "gewahlt", "ausgewahlt", "choisi", "elegid", "seleccion")
    said = _has(plain, RESPONSE, *beginnings) or "odd-one-out" in forms_said(plain)
    closer_pair = tokens(plain) & PAIR and tokens(plain) & (OBJECTS["closer"] | {"closer"})
    said = (
        said or bool(closer_pair) or plain.endswith(("closer_one", "nearer_one", "value_choices"))
    )
    return said and not tokens(plain) & NO_RESPONSE


def is_no_answer(word: str) -> bool:
    """Return whether a response says that there is none."""
    return word.casefold() in NO_ANSWER or plain_name(word).replace("_", " ") in NO_ANSWER


def is_random(plain: str) -> bool:
    """Return whether a text in plain form says that places were drawn at random."""
    return bool(re.search("randomi[sz]|counterbalanc|zufallig|aleatori|aleatoire", plain))


def is_no_trial(word: str) -> bool:
    """Return whether a cell of a column of kinds marks a row to leave out: practice, PracProc."""
    plain = plain_name(word)
    return plain in NOT_TRIALS or any(token.startswith("prac") for token in plain.split("_"))


def is_reference(plain: str) -> bool:
    """Return whether a column may be the reference."""
    found = _has(plain, REFERENCE, "referenz", "anker", "zielbild", "zielwort")
    return (found or plain == "x") and not tokens(plain) & (NO_RESPONSE | RESPONSE)


def is_less(plain: str) -> bool:
    """Return whether a text in plain form asks for the less similar option, or names it."""
    said = re.search(rf"(?<![a-z])(?:{LESS_ALIKE})(?![a-z])", plain)
    return bool(said) or object_role(plain, "farther") > 0


def asks_less(text: str) -> bool:
    """Return whether a question asks for the less similar option: "Which is less like X?"."""
    plain = plain_name(text)
    more = r"(more|most)_(similar|alike|like)|closer|closest|odd_one"
    asks = r"\?|\b(which|choose|select|pick|click|welche|wähle|klick|quel|choisi|cu[aá]l|elij|qual)"
    return bool(re.search(asks, text.casefold())) and is_less(plain) and not re.search(more, plain)


def forms_said(plain: str) -> list[str]:
    """Return the forms of answers to three items that a text in plain form mentions."""
    return [
        form
        for form, words in FORM_WORDS.items()
        if re.search(rf"(?<![a-z])(?:{words})(?![a-z])", plain)
    ]


def forms_in_title(plain: str) -> list[str]:
    """Return the forms that the title of a study in plain form names in so many words."""
    return [form for form, words in TITLES.items() if re.search(rf"(^|_)({words})(_|$)", plain)]


def _has(plain: str, words: frozenset[str], *beginnings: str) -> bool:
    """Return whether a name has one of some words, or a compound that begins like one."""
    compounds = [word for word in tokens(plain) if not word.endswith("zeit")]
    return bool(tokens(plain) & words) or any(word.startswith(beginnings) for word in compounds)
