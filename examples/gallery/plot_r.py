"""
From here to R
==============

ordlink writes trees that R reads: Newick for the package ``ape``, and the merges as a table. This
example writes the files and shows the R program; it runs the program where R and ``ape`` are
installed.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import ordlink as ol

zoo = ol.datasets.load_zoo()
tree = ol.cluster(zoo.similarities(), "AL").with_names(zoo.names)
folder = Path(tempfile.mkdtemp())
newick = folder / "tree.nwk"
newick.write_text(tree.to_newick(), encoding="utf-8")
print(newick.read_text(encoding="utf-8")[:60], "...")

# %%
# The R program
# -------------

program = """
library(ape)
tree <- read.tree("tree.nwk")
print(tree)
pdf("tree.pdf")
plot(tree, type = "fan", cex = 0.5)
dev.off()
"""
print(program)

# %%

if shutil.which("Rscript"):
    done = subprocess.run(
        ["Rscript", "-e", program], cwd=folder, capture_output=True, text=True, check=False
    )
    print(done.stdout or done.stderr)
else:
    print("R is not installed here.")
