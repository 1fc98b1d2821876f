"""The table of all public data: what it is, whom to cite, and where its files are."""

from __future__ import annotations

from collections.abc import Iterable

from ordlink.datasets._sources import RemoteFile, Source

CAR_SETS = ("T_ALL_REDUCED", "T_ALL", "ALL_REDUCED", "ALL", "survey")
CAR_PICTURES = tuple(f"car_data_set_images/{number}.jpg" for number in range(1, 61))
PALETTES = {"shape": 10, "color": 10, "size": 10}
PALETTES |= {"shapecolor": 16, "shapesize": 16, "sizecolor": 16}
"""Number of objects in each palette of the perceptual kernels."""
TASKS = {"matching": "tm", "discrimination": "td"}
EXPERIMENTS = ("Transparency", "AutumnLab", "kk1", "kk2", "kk3", "kktriad")
SUBJECTS = ("food", "scene")

_GITHUB = "https://raw.githubusercontent.com"
_TRIPLET_TOOLS = "Knowledge-and-Concepts-Lab/tripletTools/28ea745f52c68ea73d9d88910acc17b1001963c3"
_CROWDTSC = "garfieldpigljy/CrowdTSC2021/d52af802c1268ba011960a8a593e0ef8456a3104/CrowdTSC2021"
_CAR_PAGE = "http://www.tml.cs.uni-tuebingen.de/team/luxburg/code_and_data/"
_CC_BY = "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)"


def _files(folder: str, page: str, names: Iterable[str]) -> tuple[RemoteFile, ...]:
    """Return files of a folder, named as on the page they come from."""
    return tuple(RemoteFile(f"{folder}/{name}", f"{page}/{name}") for name in names)


CAR = Source(
    name="car",
    description="60 cars; people said which of three cars is the most central.",
    page=_CAR_PAGE,
    citation="Kleindessner, M., & von Luxburg, U. (2017). Lens depth function and k-relative "
    "neighborhood graph: versatile tools for ordinal data analysis. Journal of Machine "
    "Learning Research, 18(58).",
    terms="The authors ask to cite their paper; the pictures are in the public domain.",
    files=tuple(
        RemoteFile(f"car/{name}", f"{_CAR_PAGE}60_cars_data.zip", f"60_cars_data/{name}")
        for name in (
            "survey_data.csv",
            *(f"ordinal_data_preprocessed/{name}.csv" for name in CAR_SETS[:-1]),
            "car_data_set_images/legal_note.txt",
            *CAR_PICTURES,
        )
    ),
)
FACES = Source(
    name="faces_cfd36",
    description="36 faces of the Chicago Face Database; people said which of two is more like a "
    "third.",
    page="https://github.com/Knowledge-and-Concepts-Lab/tripletTools",
    citation="Rogers, T. tripletTools 0.1.0 [R package], data cfd36; faces: Ma, D. S., Correll, "
    "J., & Wittenbrink, B. (2015). The Chicago face database: A free stimulus set of faces and "
    "norming data. Behavior Research Methods, 47.",
    terms="Answers: MIT licence. The pictures are not included and have their own terms.",
    files=_files(
        "faces_cfd36", f"{_GITHUB}/{_TRIPLET_TOOLS}/inst/extdata", ["cfd36_triplets_individual.csv"]
    ),
)
PERCEPTUAL_KERNELS = Source(
    name="perceptual_kernels",
    description="Palettes of 10 or 16 colours, shapes and sizes; people matched them or said which "
    "of three is the odd one.",
    page="https://github.com/uwdata/perceptual-kernels",
    citation="Demiralp, C., Bernstein, M., & Heer, J. (2014). Learning perceptual kernels for "
    "visualization design. IEEE Transactions on Visualization and Computer Graphics, 20(12).",
    terms="No licence is stated; the authors invite use for any purpose, research or otherwise.",
    files=_files(
        "perceptual_kernels/raw",
        f"{_GITHUB}/uwdata/perceptual-kernels/master/data/raw",
        [f"{palette}-{task}.txt" for palette in PALETTES for task in TASKS.values()],
    ),
)
MLDS = Source(
    name="mlds",
    description="10 or 11 stimuli on a scale; people said which of two pairs differs more.",
    page="https://cran.r-project.org/package=MLDS",
    citation="Knoblauch, K., & Maloney, L. T. (2008). MLDS: Maximum likelihood difference scaling "
    "in R. Journal of Statistical Software, 25(2).",
    terms="GPL (version 2 or later)",
    files=_files(
        "mlds",
        f"{_GITHUB}/cran/MLDS/171dd1339da8727d71ab66481a790fe6016c8e3a/data",
        [f"{name}.rda" for name in EXPERIMENTS],
    ),
)
THINGS = Source(
    name="things",
    description="1,854 things; people said which of three is the odd one out.",
    page="https://osf.io/z2784/",
    citation="Hebart, M. N., Zheng, C. Y., Pereira, F., & Baker, C. I. (2020). Revealing the "
    "multidimensional mental representations of natural objects underlying human similarity "
    "judgements. Nature Human Behaviour, 4.",
    terms=_CC_BY,
    files=(
        RemoteFile("things/data1854_batch5_test10.txt", "https://osf.io/download/sd3f7/"),
        RemoteFile("things/items1854names.tsv", "https://osf.io/download/sz2ux/"),
    ),
)
MUSICSEER = Source(
    name="musicseer",
    description="Musical artists; people said which of several is most like another.",
    page="https://www.labrosa.org/projects/musicsim/",
    citation="Ellis, D. P. W., Whitman, B., Berenzweig, A., & Lawrence, S. (2002). The quest for "
    "ground truth in musical artist similarity. ISMIR.",
    terms="The authors ask for credit.",
    files=_files(
        "musicseer",
        "https://www.labrosa.org/projects/musicsim/musicseer.org/results",
        ["musicseer-results-2002-04-29.txt"],
    ),
)
CROWDTSC = Source(
    name="crowdtsc",
    description="Pictures of food or of scenes; people said which of two is more like a third.",
    page="https://github.com/garfieldpigljy/CrowdTSC2021",
    citation="Li, J., Endo, L. R., & Kashima, H. (2021). Label aggregation for crowdsourced "
    "triplet similarity comparisons. ICONIP 2021.",
    terms=_CC_BY,
    files=_files(
        "crowdtsc",
        f"{_GITHUB}/{_CROWDTSC}",
        [f"{a}/{a}_{table}.csv" for a in SUBJECTS for table in ("tsclabels", "category_list")],
    ),
)
NEWSGROUPS = Source(
    name="20news",
    description="11,314 posts of 20 newsgroups (no answers: points to simulate answers from).",
    page="http://qwone.com/~jason/20Newsgroups/",
    citation="Lang, K. (1995). NewsWeeder: Learning to filter netnews. ICML. Version 'bydate' of "
    "J. Rennie, http://qwone.com/~jason/20Newsgroups/.",
    terms="Public Usenet posts of 1993, freely used for research; no licence is stated.",
    files=(
        RemoteFile("20news/20news-bydate.tar.gz", "https://ndownloader.figshare.com/files/5975967"),
    ),
    instead="20news/20news-bydate-train.tar.xz",  # the training part alone, packed by hand
)
