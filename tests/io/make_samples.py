"""Write the sample files: answers about twelve animals in three groups, in every layout.

Run ``python -m tests.io.make_samples`` after a change; it needs openpyxl and odfpy beside the test
dependencies. Each sample is read with at most its form, which `FORMS` says, and gives the groups.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import unicodedata
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

FOLDER = Path(__file__).parent / "samples"
GROUPS = (
    ("Löwe", "Tiger", "Luchs", "Puma"),
    ("Lachs", "Forelle", "Hecht", "Karpfen"),
    ("Adler", "Falke", "Bussard", "Sperber"),
)
GROUP = {name: number for number, group in enumerate(GROUPS) for name in group}
FORMS = {
    "odd_": "odd-one-out",
    "central_": "most-central",
    "pairs_": "quadruplet",
    "auto_": None,
}
"""Form that a sample needs, by the beginning of its name; `auto_` samples need none."""
N_TRIALS = 240
Rows = list[list[object]]


def triplets(draw: random.Random) -> tuple[str, list[str], int]:
    """Return a reference, two options, and which of them is closer."""
    reference = draw.choice(list(GROUP))
    near = draw.choice([name for name in GROUPS[GROUP[reference]] if name != reference])
    far = draw.choice([name for name in GROUP if GROUP[name] != GROUP[reference]])
    options = [near, far]
    draw.shuffle(options)
    return reference, options, options.index(near)


def threes(draw: random.Random) -> tuple[list[str], int]:
    """Return three items, two of a group, and which is the odd one."""
    first, second = draw.sample(range(3), 2)
    items = [*draw.sample(GROUPS[first], 2), draw.choice(GROUPS[second])]
    odd = items[2]
    draw.shuffle(items)
    return items, items.index(odd)


def centrals(draw: random.Random) -> tuple[list[str], int]:
    """Return three items and which is the most central: one of the two of a group."""
    items, odd = threes(draw)
    return items, draw.choice([k for k in range(3) if k != odd])


def fours(draw: random.Random) -> tuple[list[str], int]:
    """Return two pairs and which of them is more alike."""
    group, a, b = draw.sample(range(3), 3)
    pairs = [draw.sample(GROUPS[group], 2), [draw.choice(GROUPS[a]), draw.choice(GROUPS[b])]]
    near = pairs[0]
    draw.shuffle(pairs)
    return [*pairs[0], *pairs[1]], pairs.index(near)


def picks(draw: random.Random, n: int, k: int) -> tuple[str, list[str], list[str]]:
    """Return a reference, n options of which k are of its group, and these."""
    reference = draw.choice(list(GROUP))
    near = draw.sample([x for x in GROUPS[GROUP[reference]] if x != reference], k)
    far = draw.sample([x for x in GROUP if GROUP[x] != GROUP[reference]], n - k)
    options = [*near, *far]
    draw.shuffle(options)
    return reference, options, near


def table(header: str, row: Callable[[random.Random, int], Sequence[object]], seed: int) -> Rows:
    """Return a header and rows."""
    draw = random.Random(seed)
    return [header.split(","), *[list(row(draw, number)) for number in range(N_TRIALS)]]


def text(rows: Rows, separator: str = ",") -> str:
    """Return rows as text, cells in quotation marks where needed."""

    def cell(value: object) -> str:
        written = str(value)
        if any(mark in written for mark in (separator, '"', "\n")):
            return '"' + written.replace('"', '""') + '"'
        return written

    return "\n".join(separator.join(map(cell, row)) for row in rows) + "\n"


def xlsx(rows: Rows, others: dict[str, Rows] | None = None) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "Daten"
    for row in rows:
        book.active.append(row)
    for name, more in ({"leer": []} if others is None else others).items():
        sheet = book.create_sheet(name)
        for row in more:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def ods(rows: Rows) -> bytes:
    from odf.opendocument import OpenDocumentSpreadsheet
    from odf.table import Table, TableCell, TableRow
    from odf.text import P

    book = OpenDocumentSpreadsheet()
    sheet = Table(name="Daten")
    for row in rows:
        line = TableRow()
        for value in row:
            cell = TableCell(valuetype="string")
            cell.addElement(P(text=str(value)))
            line.addElement(cell)
        sheet.addElement(line)
    book.spreadsheet.addElement(sheet)
    stream = io.BytesIO()
    book.write(stream)
    return stream.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content)
    return stream.getvalue()


def odd(header: str, seed: int, said: Callable[[list[str], int], object]) -> Rows:
    """Return trials of participant, number, three items, response and time."""

    def row(draw: random.Random, number: int) -> list[object]:
        items, choice = threes(draw)
        person = f"S{number % 6 + 1:02d}"
        return [person, number, *items, said(items, choice), draw.randrange(400, 3000)]

    return table(header, row, seed)


def near(header: str, seed: int, said: Callable[[str, list[str], int], Sequence[object]]) -> Rows:
    """Return trials of a participant and what `said` makes of reference, options and choice."""

    def row(draw: random.Random, number: int) -> list[object]:
        reference, options, choice = triplets(draw)
        return [f"p{number % 5}", *said(reference, options, choice)]

    return table(header, row, seed)


def by_name(items: list[str], choice: int) -> str:
    return items[choice]


def odd_samples() -> dict[str, bytes]:
    """Return samples of three items without a word on what was asked, and some that say it."""
    header = "participant,trial,item1,item2,item3,response,rt"
    files = {
        "odd_name.csv": text(odd(header, 1, by_name)).encode(),
        "odd_position_1.csv": text(odd(header, 2, lambda _, k: k + 1)).encode(),
        "odd_position_0.csv": text(odd(header, 3, lambda _, k: k)).encode(),
        "odd_letters.csv": text(
            odd("subject,trial,stim_a,stim_b,stim_c,choice,rt", 4, lambda _, k: "abc"[k])
        ).encode(),
        "odd_places.csv": text(
            odd(
                "subject,trial,left,middle,right,answer,rt",
                5,
                lambda _, k: ("left", "middle", "right")[k],
            )
        ).encode(),
        "odd_column.csv": text(odd(header, 6, lambda _, k: f"item{k + 1}")).encode(),
        "auto_odd_word.csv": text(
            odd("worker,trial,image_1,image_2,image_3,odd_one_out,rt", 7, by_name)
        ).encode(),
        "odd_psychopy.csv": _psychopy(),
        "auto_odd_letters.csv": text(
            odd("subject,trial,left,mid,right,intruso,rt", 66, lambda _, k: "LMR"[k])
        ).encode(),
        "auto_odd_alike_pair.csv": text(
            odd("subject,trial,A,B,C,most_similar_pair,rt", 67, lambda _, k: ("BC", "AC", "AB")[k])
        ).encode(),
        "auto_odd_title.csv": text(
            [
                [*row, "task" if number == 0 else "Odd One Out"]
                for number, row in enumerate(odd(header, 68, by_name))
            ]
        ).encode()
        + b"END OF FILE\n",
        "odd_tab.txt": text(odd(header, 8, by_name), "\t").encode(),
        "odd_sheet.xlsx": xlsx(odd(header, 9, by_name)),
        "odd_packed.csv.gz": gzip.compress(text(odd(header, 10, by_name)).encode(), mtime=0),
        "odd_excel_utf8.csv": text(odd(header, 11, by_name), ";").encode("utf-8-sig"),
    }
    german = odd(
        "Versuchsperson,Durchgang,Reiz1,Reiz2,Reiz3,Außenseiter,Reaktionszeit", 12, by_name
    )
    for row in german[1:]:
        row[6] = f"{int(str(row[6])) / 1000:.3f}".replace(".", ",")
    files["auto_german.csv"] = text(german, ";").encode("cp1252")
    missing = odd(header, 13, by_name)
    for number in (5, 50, 100):
        missing[number][5] = ("", "NA", "null")[number % 3]
    files["odd_missing.csv"] = text(missing).encode()
    umlauts = odd(header, 14, by_name)
    for row in umlauts[1::2]:
        row[2:6] = [unicodedata.normalize("NFD", f" {name} ") for name in row[2:6]]
    files["odd_umlauts.csv"] = text(umlauts).encode()
    unknown = odd("a1,a2,thing1,thing2,thing3,x,y", 15, by_name)
    files["odd_content.csv"] = text(unknown).encode()
    people = odd(header, 16, by_name)
    by_person: dict[str, Rows] = {}
    for row in people[1:]:
        by_person.setdefault(str(row[0]), [header.split(",")[1:]]).append(row[1:])
    parts = {f"{name}.csv": text(rows).encode() for name, rows in by_person.items()}
    files["odd_people.zip"] = zipped(parts)
    for name, content in parts.items():
        files[f"odd_folder/{name}"] = content
    files["auto_qualtrics_odd.csv"] = _qualtrics(
        "Which is the odd one out: {}, {} or {}?", lambda draw: threes(draw), 17
    )
    return files


def _psychopy() -> bytes:
    rows = odd(
        "participant,trials.thisN,stim1,stim2,stim3,key_resp.keys,key_resp.rt",
        18,
        lambda _, k: k + 1,
    )
    rows[1:1] = [["S01", "", "", "", "", "space", "2.5"]] * 3
    return text(rows).encode()


def _qualtrics(question: str, draw_items: Callable[..., tuple[list[str], int]], seed: int) -> bytes:
    draw = random.Random(seed)
    asked = [draw_items(draw) for _ in range(N_TRIALS // 2)]
    names = ["ResponseId", "Status", *[f"Q{number + 1}" for number in range(len(asked))]]
    rows: Rows = [
        names,
        ["Response ID", "Status", *[question.format(*items) for items, _ in asked]],
        [f'{{"ImportId":"{name}"}}' for name in names],
    ]
    for person in range(3):
        rows.append([f"R_{person}", "IP Address", *[items[choice] for items, choice in asked]])
    return text(rows).encode()


def triplet_samples() -> dict[str, bytes]:
    """Return samples of a reference and two options."""
    sides = ("left", "right")
    return {
        "auto_salmon.csv": text(
            near(
                "puid,head,left,right,winner,head_filename,left_filename,right_filename,winner_filename",
                21,
                lambda r, o, k: [
                    *[list(GROUP).index(x) for x in (r, *o, o[k])],
                    *[f"{x}.png" for x in (r, *o, o[k])],
                ],
            )
        ).encode(),
        "auto_french.csv": text(
            near(
                "sujet,référence,gauche,droite,réponse",
                61,
                lambda r, o, k: [r, *o, ("gauche", "droite")[k]],
            ),
            ";",
        ).encode("cp1252"),
        "auto_spanish.csv": text(
            near(
                "participante,modelo,opción 1,opción 2,elección", 62, lambda r, o, k: [r, *o, k + 1]
            ),
            "\t",
        ).encode("utf-16"),
        "auto_ids_and_names.csv": text(
            near(
                "worker,ref_id,ref_name,left_id,left_name,right_id,right_name,chosen_id",
                63,
                lambda r, o, k: [
                    *[cell for x in (r, *o) for cell in (list(GROUP).index(x), x)],
                    list(GROUP).index(o[k]),
                ],
            )
        ).encode(),
        "auto_unknown_reference.csv": text(
            near(
                "user,base,left,right,chosen,not_chosen",
                64,
                lambda r, o, k: [r, *o, o[k], o[1 - k]],
            )
        ).encode(),
        "auto_choice_a.csv": text(
            near(
                "Subject,RefStim,ChoiceA,ChoiceB,SubjChoice",
                69,
                lambda r, o, k: [r, *o, "AB"[k]],
            )
        ).encode(),
        "auto_key_mapping.csv": text(
            near(
                "participant,key_mapping,target,left,right,response",
                70,
                lambda r, o, k: [("left", "right")[len(r) % 2], r, *o, ("left", "right")[k]],
            )
        ).encode(),
        "auto_ranked.csv": text(
            near("worker,reference,rank1,rank2", 65, lambda r, o, k: [r, o[k], o[1 - k]])
        ).encode(),
        "auto_next.csv": text(
            near("Participant.ID,Center,Left,Right,Answer", 22, lambda r, o, k: [r, *o, o[k]])
        ).encode(),
        "auto_places.csv": text(
            near(
                "participant,reference,option1,option2,response",
                23,
                lambda r, o, k: [r, *o, sides[k]],
            )
        ).encode(),
        "auto_files.csv": text(
            near(
                "participant,target,a,b,chosen",
                24,
                lambda r, o, k: [*[f"stimuli/{x}.jpg" for x in (r, *o)], o[k]],
            )
        ).encode(),
        "auto_addresses.csv": text(
            near(
                "participant,target,option_a,option_b,selected",
                25,
                lambda r, o, k: [*[f"https://x.org/i/{x}.png?v=2" for x in (r, *o)], f"{o[k]}.png"],
            )
        ).encode(),
        "auto_html.csv": text(
            near(
                "participant,anchor,left,right,response",
                26,
                lambda r, o, k: [*[f"<img src='/static/{x}.png' />" for x in (r, *o)], k],
            )
        ).encode(),
        "auto_keys.csv": text(
            near("participant,cue,left,right,key_pressed", 27, lambda r, o, k: [r, *o, "fj"[k]])
        ).encode(),
        "auto_gorilla.csv": text(
            near(
                "Participant Private ID,display,Target,Left,Right,Response,Reaction Time",
                28,
                lambda r, o, k: ["trial", r, *o, o[k], 900],
            )
        ).encode(),
        "auto_labjs.csv": text(
            near(
                "participant_id,sender,duration,reference,left,right,response",
                29,
                lambda r, o, k: ["Triplet", 812.5, r, *o, sides[k]],
            )
        ).encode(),
        "auto_german_utf16.csv": text(
            near(
                "Teilnehmer,Referenz,Links,Rechts,Antwort",
                30,
                lambda r, o, k: [r, *o, ("links", "rechts")[k]],
            ),
            ";",
        ).encode("utf-16"),
        "auto_german_position.csv": text(
            near("VP,Zielreiz,Bild1,Bild2,Auswahl", 31, lambda r, o, k: [r, *o, k + 1]), ";"
        ).encode("cp1252"),
        "auto_sheet.ods": ods(
            near("participant,reference,left,right,response", 32, lambda r, o, k: [r, *o, o[k]])
        ),
        "auto_lines.jsonl": _lines(33),
        "auto_jspsych.json": _jspsych(34),
        "auto_jspsych.csv": _jspsych_csv(35),
        "auto_columns.parquet": _parquet(36),
        "auto_reordered.csv": text(
            near(
                "who,response,right,rt,left,reference", 37, lambda r, o, k: [o[k], o[1], 9, o[0], r]
            )
        ).encode(),
        "auto_qualtrics.csv": _qualtrics(
            "Is {} more similar to {} or to {}?", lambda draw: _reference_first(draw), 38
        ),
        "auto_practice.csv": text(
            [
                *near(
                    "participant,phase,reference,left,right,response",
                    39,
                    lambda r, o, k: ["main", r, *o, o[k]],
                ),
                *[["p1", "practice", "Löwe", "Adler", "Puma", "Adler"]] * 30,
            ]
        ).encode(),
    }


def _reference_first(draw: random.Random) -> tuple[list[str], int]:
    reference, options, choice = triplets(draw)
    return [reference, *options], choice + 1


def _lines(seed: int) -> bytes:
    rows = near("participant,reference,left,right,response", seed, lambda r, o, k: [r, *o, o[k]])
    lines = [
        json.dumps(dict(zip(rows[0], row, strict=True)), ensure_ascii=False) for row in rows[1:]
    ]
    return ("\n".join(lines) + "\n").encode()


def _trials(seed: int) -> list[dict[str, object]]:
    """Return screens as jsPsych stores them: fixation crosses between the trials."""
    draw = random.Random(seed)
    screens: list[dict[str, object]] = [
        {
            "trial_type": "html-button-response",
            "stimulus": "<p>Welcome</p>",
            "response": 0,
            "rt": 900,
        }
    ]
    for number in range(N_TRIALS):
        reference, options, choice = triplets(draw)
        screens.append({"trial_type": "html-keyboard-response", "stimulus": "+", "response": None})
        screens.append(
            {
                "trial_type": "html-button-response",
                "stimulus": f"img/{reference}.png",
                "choices": [f"img/{name}.png" for name in options],
                "response": choice,
                "rt": 500 + number,
                "trial_category": "practice" if number < 5 else "main",
            }
        )
    return [{"trial_index": k, "subject": "s1", **screen} for k, screen in enumerate(screens)]


def _jspsych(seed: int) -> bytes:
    return json.dumps(_trials(seed), ensure_ascii=False).encode()


def _jspsych_csv(seed: int) -> bytes:
    screens = _trials(seed)
    names = list(dict.fromkeys(name for screen in screens for name in screen))
    rows: Rows = [list(names)]
    for screen in screens:
        cells = [screen.get(name, "") for name in names]
        rows.append(
            [
                json.dumps(c, ensure_ascii=False)
                if isinstance(c, list)
                else "null"
                if c is None
                else c
                for c in cells
            ]
        )
    return text(rows).encode()


def _parquet(seed: int) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    header, *rows = near("participant,head,left,right,choice", seed, lambda r, o, k: [r, *o, k])
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    stream = io.BytesIO()
    pq.write_table(pa.table({str(name): list(cells) for name, cells in columns.items()}), stream)
    return stream.getvalue()


def other_samples() -> dict[str, bytes]:
    """Return samples of other questions, and the plain forms."""
    draw = random.Random(40)

    def three(make: Callable[..., tuple[list[str], int]], *, first: bool) -> Rows:
        rows: Rows = []
        for _ in range(N_TRIALS):
            items, choice = make(draw)
            others = [name for k, name in enumerate(items) if k != choice]
            rows.append([items[choice], *others] if first else [*others, items[choice]])
        return rows

    def pick(n: int, k: int) -> Rows:
        return [[r, *o, *c] for r, o, c in (picks(draw, n, k) for _ in range(N_TRIALS))]

    numbers = {name: str(number + 1) for number, name in enumerate(GROUP)}
    car = [
        [
            "survey_round",
            "chosen_center",
            "triplet_object_1",
            "triplet_object_2",
            "triplet_object_3",
            "response_time",
        ]
    ]
    for number in range(N_TRIALS * 2):
        items, choice = centrals(draw)
        car.append([str(number // 40), numbers[items[choice]], *[numbers[x] for x in items], "1.5"])
    two = [fours(draw) for _ in range(N_TRIALS)]
    plain = [[r, o[k], o[1 - k]] for r, o, k in (triplets(draw) for _ in range(N_TRIALS))]
    lists: Rows = [["participant", "query", "options", "response"]]
    for row in pick(6, 2):
        options, chosen = row[1:7], row[7:]
        lists.append(
            [
                "p",
                row[0],
                json.dumps(options, ensure_ascii=False),
                json.dumps(chosen, ensure_ascii=False),
            ]
        )
    eight = ",".join(f"image{number + 1}" for number in range(8))
    return {
        "auto_car_numbers.csv": text(car).encode(),
        "central_name.csv": text(
            [
                ["participant", "obj1", "obj2", "obj3", "answer"],
                *[["p", *i, i[k]] for i, k in (centrals(draw) for _ in range(2 * N_TRIALS))],
            ]
        ).encode(),
        "pairs_position.csv": text(
            [["resp", "S1", "S2", "S3", "S4"], *[[choice + 1, *items] for items, choice in two]]
        ).encode(),
        "pairs_places.csv": text(
            [
                ["vp", "left_1", "left_2", "right_1", "right_2", "choice"],
                *[["p", *items, ("left", "right")[choice]] for items, choice in two],
            ]
        ).encode(),
        "auto_pairs_words.csv": text(
            [
                ["i", "j", "k", "l", "closer_pair"],
                *[[*items, ("first", "second")[choice]] for items, choice in two],
            ]
        ).encode(),
        "auto_paare.csv": text(
            [
                ["VP", "Paar1_links", "Paar1_rechts", "Paar2_links", "Paar2_rechts", "ähnlicher"],
                *[["p", *items, f"Paar {choice + 1}"] for items, choice in two],
            ]
        ).encode(),
        "auto_pick_1_of_4.csv": text(
            [["target", "option1", "option2", "option3", "option4", "choice"], *pick(4, 1)]
        ).encode(),
        "auto_pick_2_of_8.csv": text(
            [f"query,{eight},pick1,pick2".split(","), *pick(8, 2)]
        ).encode(),
        "auto_pick_lists.csv": text(lists).encode(),
        "auto_pick_positions.csv": text(
            [
                ["query", *eight.split(","), "selected"],
                *[
                    [*row[:9], ",".join(str(row.index(chosen, 1)) for chosen in row[9:])]
                    for row in pick(8, 2)
                ],
            ]
        ).encode(),
        "auto_larger_difference.csv": text(
            [
                ["larger_difference", "S1", "S2", "S3", "S4"],
                *[[1 - choice, *items] for items, choice in two],
            ]
        ).encode(),
        "auto_plain_triplets.csv": text([["anchor", "closer", "farther"], *plain]).encode(),
        "auto_plain_tsv.tsv": text([["head", "winner", "loser"], *plain], "\t").encode(),
        "auto_plain_odd.csv": text(
            [["alike_1", "alike_2", "odd"], *three(threes, first=False)]
        ).encode(),
        "auto_plain_central.csv": text(
            [
                ["central", "other_1", "other_2"],
                *three(centrals, first=True),
                *three(centrals, first=True),
            ]
        ).encode(),
        "auto_plain_pairs.csv": text(
            [["i", "j", "k", "l"], *[i if not k else [*i[2:], *i[:2]] for i, k in two]]
        ).encode(),
    }


def _gorilla(seed: int) -> bytes:
    """Return events as Gorilla writes them: each trial has a row for its fixation screen."""
    rows = near(
        "Participant Private ID,Screen Name,Response,display,Reference,Left,Right",
        seed,
        lambda r, o, k: ["choice", f"{o[k]}.png", "trial", *[f"{x}.png" for x in (r, *o)]],
    )
    header, *trials = rows
    events = [row for t in trials for row in ([t[0], "fixation", "", *t[3:]], t)]
    return text([header, *events, ["END OF FILE", *[""] * 6]]).encode("utf-8-sig")


def _forms(question: str, seed: int, *, less: bool = False) -> bytes:
    """Return an export of Google Forms: the question is the name of its column."""
    draw = random.Random(seed)
    asked = [triplets(draw) for _ in range(N_TRIALS // 2)]
    rows: Rows = [["Timestamp", *[question.format(r, *o) for r, o, _ in asked]]]
    for person in range(3):
        rows.append([f"2024-01-0{person + 1}", *[o[1 - k if less else k] for _, o, k in asked]])
    return text(rows).encode()


def _jatos(seed: int) -> bytes:
    screens = _trials(seed)
    lines = [screens[at : at + 100] for at in range(0, len(screens), 100)]
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()


def lab_samples() -> dict[str, bytes]:
    """Return samples as labs have them: titles, marks, other words, less alike."""
    plain = near("p,reference,chosen,unchosen", 60, lambda r, o, k: [r, o[k], o[1 - k]])
    sides = near("vp,referenz,links,rechts,antwort", 61, lambda r, o, k: [r, *o, "lr"[k]])
    draw = random.Random(62)
    six = [f"opt{k}" for k in range(6)]
    marks: Rows = [["target", *six, *[f"{name}_chosen" for name in six]]]
    for reference, options, chosen in (picks(draw, 6, 2) for _ in range(N_TRIALS)):
        marks.append([reference, *options, *[int(name in chosen) for name in options]])
    cells: Rows = [["subject", "triad", "odd_one_out"]]
    pairs: Rows = [["subject", "pair_left", "pair_right", "more_different"]]
    alike: Rows = [["subject", "stim1", "stim2", "stim3", "similar1", "similar2"]]
    for _ in range(N_TRIALS):
        items, choice = threes(draw)
        cells.append(["s", ", ".join(items), items[choice]])
        alike.append(["s", *items, *[name for k, name in enumerate(items) if k != choice]])
        four, choice = fours(draw)
        pairs.append(["s", " - ".join(four[:2]), " - ".join(four[2:]), ("right", "left")[choice]])
    missing = near("id,cue,stim_left,stim_right,key", 63, lambda r, o, k: [r, *o, (37, 39)[k]])
    for row in missing[1::20]:
        row[4] = -99
    return {
        "auto_plain_chosen.csv": text(plain).encode(),
        "auto_plain_german.csv": text(
            [["Referenz", "ähnlicher", "unähnlicher"], *[row[1:] for row in plain[1:]]], ";"
        ).encode("cp1252"),
        "auto_title.csv": ("Studie 3;;;;\n;;;;\n" + text(sides, ";")).encode("cp1252"),
        "auto_title.xlsx": xlsx([["Studie 3"], ["Export 2024"], [], *sides]),
        "auto_r_rows.csv": text(
            [sides[0], *[[k + 1, *row] for k, row in enumerate(sides[1:])]]
        ).encode(),
        "auto_gorilla_events.csv": _gorilla(64),
        "auto_forms.csv": _forms("Which is more like {}: {} or {}?", 65),
        "auto_forms_less.csv": _forms("Was ist {} weniger ähnlich: {} oder {}?", 66, less=True),
        "auto_jatos.txt": _jatos(67),
        "auto_marks.csv": text(marks).encode(),
        "auto_lists.csv": text(cells).encode(),
        "auto_pairs_less.csv": text(pairs).encode(),
        "auto_two_alike.csv": text(alike).encode(),
        "auto_key_codes.csv": text(missing).encode(),
        "auto_least.csv": text(
            near("p,reference,left,right,least_similar", 68, lambda r, o, k: [r, *o, o[1 - k]])
        ).encode(),
        "auto_chose_left.csv": text(
            near("p,reference,left,right,chose_left", 69, lambda r, o, k: [r, *o, 1 - k])
        ).encode(),
        "auto_abx.csv": text(
            near("p,X,A,B,response", 70, lambda r, o, k: [*[f"{x}.wav" for x in (r, *o)], "AB"[k]])
        ).encode(),
        "auto_said.csv": text(
            near(
                "p,ref,left,right,response",
                71,
                lambda r, o, k: [r, *o, ("The left one", "the RIGHT one")[k]],
            )
        ).encode(),
    }


def _sosci(seed: int) -> bytes:
    """Return an export of SoSci Survey: the text of a question is below the name of its column."""
    draw = random.Random(seed)
    asked = [triplets(draw) for _ in range(N_TRIALS // 2)]
    rows: Rows = [["CASE", "MODE", *[f"TR{k + 1:02}" for k in range(len(asked))]]]
    rows.append(
        ["Nummer", "Modus", *[f"Was ist {r} ähnlicher? {o[0]} oder {o[1]}?" for r, o, _ in asked]]
    )
    rows += [[100 + person, "interview", *[o[k] for _, o, k in asked]] for person in range(3)]
    return text(rows, "\t").encode("utf-16")


def joined_samples() -> dict[str, bytes]:
    """Return samples whose rows, sheets or cells must be taken apart or put together first."""
    draw = random.Random(80)
    long: Rows = [["trial_id", "subject", "position", "item", "is_odd"]]
    alike: Rows = [["worker", "item_1", "item_2", "item_3", "most_similar_pair"]]
    for trial in range(N_TRIALS):
        items, choice = threes(draw)
        long += [[trial // 2, f"s{trial % 2}", k + 1, items[k], int(k == choice)] for k in range(3)]
        alike.append(["w", *items, "-".join(name for k, name in enumerate(items) if k != choice)])
    header, *rows = odd("participant,trial,item1,item2,item3,odd_choice,rt", 81, by_name)
    parts = [rows[at::4] for at in range(4)]
    unsure = near("p,reference,option1,option2,response", 82, lambda r, o, k: [r, *o, o[k]])
    for row in unsure[1::20]:
        row[4] = "can't tell"
    asked = near(
        "p,question,choice1,choice2,answer",
        83,
        lambda r, o, k: [f"Which is more similar to {r}?", *o, o[k]],
    )
    options = near(
        "WorkerId,Input.reference,Input.option_a,Input.option_b,Answer.choice",
        84,
        lambda r, o, k: [r, *o, ("option_a", "option_b")[k]],
    )
    sheets = {f"S{k}": [header[2:], *[row[2:] for row in part]] for k, part in enumerate(parts)}
    return {
        "auto_row_per_item.csv": text(long).encode(),
        "auto_pair_in_cell.csv": text(alike).encode(),
        "auto_header_again.csv": "".join(text([header, *part]) for part in parts).encode(),
        "auto_sheet_per_person.xlsx": xlsx(
            [header[2:], *[row[2:] for row in parts[0]]],
            {name: sheets[name] for name in ("S1", "S2", "S3")},
        ),
        "auto_other_sheet.xlsx": xlsx(
            [header, *rows],
            {"Alter": [["participant", "age", "gender"], ["a", 20, "f"], ["b", 31, "m"]]},
        ),
        "auto_cant_tell.csv": text(unsure).encode(),
        "auto_question.csv": text(asked).encode(),
        "auto_mturk_options.csv": text(options).encode(),
        "auto_sosci.csv": _sosci(85),
        "auto_keys_jkl.csv": text(
            odd("participant,trial,imageA,imageB,imageC,oddKey,rt", 86, lambda _, k: "jkl"[k])
        ).encode(),
    }


def _nested(rows: Rows, name: Callable[[dict[str, object]], object] = dict) -> list[object]:
    """Return rows as JSON objects, changed by `name`."""
    header, *cells = rows
    return [name(dict(zip(map(str, header), row, strict=True))) for row in cells]


def _json(found: object) -> bytes:
    return json.dumps(found, ensure_ascii=False).encode()


def _by_task(row: dict[str, object]) -> dict[str, object]:
    """Return a task with its one annotation, as labelling tools store them."""
    result = [{"from_name": "closer", "value": {"choices": [row.pop("said")]}}]
    return {"data": row, "annotations": [{"was_cancelled": False, "result": result}]}


def _of_candidates(row: dict[str, object]) -> dict[str, object]:
    """Return options with ids, and the id of the chosen one."""
    options = [{"id": f"c{k}", "url": f"https://x.org/{row[f'o{k}']}.png"} for k in (0, 1)]
    return {"query": row["query"], "options": options, "selected": f"c{row['choice']}"}


def nested_samples() -> dict[str, bytes]:
    """Return samples of trials in sessions, tasks, cells or lines of text."""
    sides = ("left", "right")
    plain = near("participant,target,left,right,response", 90, lambda r, o, k: [r, *o, sides[k]])
    sessions = [[row for row in _nested(plain) if row["participant"] == f"p{k}"] for k in range(5)]
    checks = [{**session[0], "response": None, "is_catch": True} for session in sessions]
    draw = random.Random(91)
    pairs = [fours(draw) for _ in range(N_TRIALS)]
    lines = [{"type": "hello"}] + [
        {"type": "trial", "pairs": [four[:2], four[2:]], "answer": {"moreAlike": choice}}
        for four, choice in pairs
    ]
    central = odd("participant,trial,a,b,c,mostTypical,rt", 92, lambda _, k: "abc"[k - 1])
    rows: dict[str, dict[str, object]] = {}
    for number, row in enumerate(central[1:]):
        items, choice = centrals(draw)
        trial = {"items": dict(zip("abc", items, strict=True)), "mostTypical": "abc"[choice]}
        rows.setdefault(str(row[0]), {})[str(2 * number)] = trial
    keyed = {"participants": {f"-N{name}": {"trials": own} for name, own in rows.items()}}
    cells: Rows = [["subject", "browser", "data"]]
    cells += [[k, "Firefox", json.dumps(own, ensure_ascii=False)] for k, own in enumerate(sessions)]
    frames = ["*** Header Start ***", "Subject: 1", "*** Header End ***"]
    for row in _nested(
        near("Proc,Standard,StimLeft,StimRight,Choose.RESP", 93, lambda r, o, k: [r, *o, k + 1])
    ):
        frames += [
            "\t*** LogFrame Start ***",
            *[f"\t\t{name}: {cell}" for name, cell in row.items()],
        ]
        frames.append("\t*** LogFrame End ***")
    tasks = near("rater,anchor,option_a,option_b,said", 94, lambda r, o, k: [r, *o, "AB"[k]])
    options = near("p,query,o0,o1,choice", 95, lambda r, o, k: [r, *o, k])
    return {
        "auto_sessions.json": _json(
            [[*own, check] for own, check in zip(sessions, checks, strict=True)]
        ),
        "auto_sessions.csv": text(cells).encode(),
        "auto_tasks.json": _json(_nested(tasks, _by_task)),
        "auto_candidates.json": _json({"docs": _nested(options, _of_candidates)}),
        "auto_keyed.json": _json(keyed),
        "auto_pairs.jsonl": "\n".join(
            json.dumps(one, ensure_ascii=False) for one in lines
        ).encode(),
        "auto_frames.txt": "\r\n".join(frames).encode("utf-16"),
    }


def _numbered(seed: int) -> bytes:
    """Return a survey whose questions number their options, and whose answers are the numbers."""
    draw = random.Random(seed)
    asked = [triplets(draw) for _ in range(N_TRIALS // 2)]
    rows: Rows = [["CASE", *[f"TR{k + 1:02}" for k in range(len(asked))]]]
    rows.append(["Nummer", *[f"Ähnlicher zu {r}? (1) {o[0]} (2) {o[1]}" for r, o, _ in asked]])
    for person in range(3):
        rows.append([100 + person, *[-9 if draw.random() < 0.05 else k + 1 for *_, k in asked]])
    return text(rows, ";").encode()


def reworded_samples() -> dict[str, bytes]:
    """Return samples in which another cell, column or sheet says what an answer means."""
    draw = random.Random(100)
    asked = ("Which is MORE similar to the target?", "Which is LESS similar to the target?")
    mixed = near(
        "p,question,target,left,right,answer",
        101,
        lambda r, o, k: [asked[n := draw.randrange(2)], r, *o, o[k if n == 0 else 1 - k]],
    )
    keys = near(
        "p,key_for_optionA,key_for_optionB,target,optionA,optionB,response_key",
        102,
        lambda r, o, k: [*(pair := draw.sample("fj", 2)), r, *o, pair[k]],
    )
    loops = near(
        "p,practice.thisN,trials.thisN,target,left,right,response",
        103,
        lambda r, o, k: ["", 1, r, *o, o[k]],
    )
    loops[1:1] = [["p0", k, "", "Löwe", "Tiger", "Hecht", "Hecht"] for k in range(20)]
    html = near(
        "p,target,left,right,response",
        104,
        lambda r, o, k: [f'<span class="t"><b>{name}</b></span>' for name in (r, *o, o[k])],
    )
    roles: Rows = [["participant", "trial", "role", "item", "selected"]]
    raters: Rows = [["Item 1", "Item 2", "Item 3", "Rater01", "Rater02", "Majority"]]
    for trial in range(N_TRIALS):
        reference, options, choice = triplets(draw)
        own = [[k // 9, trial, "option", options[k], str(k == choice).upper()] for k in (0, 1)]
        own.insert(draw.randrange(3), [0, trial, "reference", reference, "NA"])
        roles += own
        items, choice = threes(draw)
        raters.append([*items, choice + 1, choice + 1 if trial % 9 else "", choice + 1])
    number = {name: k + 1 for k, name in enumerate(GROUP)}
    coded = odd("VP,Durchgang,Bild1,Bild2,Bild3,Ausreißer,RT", 105, by_name)
    for row in coded[1:]:
        row[2:6] = [number[str(name)] for name in row[2:6]]
    most = near(
        "subject,standard,comp_top,comp_left,comp_right,most_like_standard",
        106,
        lambda r, o, k: [r, *(three := _with_third(draw, r, o)), _place(three, o[k])],
    )
    block = "file,version,link,age\nOddOneOut,4,x7tq,23\n\n"
    return {
        "auto_more_or_less.csv": text(mixed).encode(),
        "auto_keys_per_row.csv": text(keys).encode(),
        "auto_loops.csv": text(loops).encode(),
        "auto_html_names.csv": text(html).encode(),
        "auto_roles.csv": text(roles).encode(),
        "odd_raters.csv": text(raters).encode(),
        "auto_codes.xlsx": xlsx(
            coded, {"Codes": [["Nummer", "Name"], *[[k, n] for n, k in number.items()]]}
        ),
        "auto_most_like.tsv": text(most, "\t").encode(),
        "auto_block_above.csv": (
            block + text(odd("no,trial,stim1,stim2,stim3,odd,rt", 107, by_name))
        ).encode(),
        "auto_numbered.csv": _numbered(108),
    }


def _with_third(draw: random.Random, reference: str, options: list[str]) -> list[str]:
    """Return two options and one more from another group than the reference, shuffled."""
    far = [n for n in GROUP if GROUP[n] != GROUP[reference] and n not in options]
    three = [*options, draw.choice(far)]
    draw.shuffle(three)
    return three


def _place(items: list[str], name: str) -> str:
    return ("top", "left", "right")[items.index(name)]


def samples() -> dict[str, bytes]:
    """Return the content of all files by name."""
    return {
        **odd_samples(),
        **triplet_samples(),
        **other_samples(),
        **lab_samples(),
        **joined_samples(),
        **nested_samples(),
        **reworded_samples(),
    }


if __name__ == "__main__":
    for name, content in samples().items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    print(f"wrote {len(samples())} files")
