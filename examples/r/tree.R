# Read a tree of ordlink in R, draw it and cut it.
#
#   Rscript tree.R RESULTS [CLUSTERS]
#
# RESULTS is a folder that `ordlink cluster ... --out RESULTS` wrote; the number of clusters is 4 if
# not given. Writes RESULTS/tree-in-r.pdf and prints the cluster of each object. Needs the package
# ape: install.packages("ape").

# Names in tree.nwk have no special characters; this gives back the names themselves.
ordlink_names <- function(labels) {
  rare <- intToUtf8(c(0xfe50, 0xfe54, 0xfe55, 0xfe59, 0xfe5a, 0xfe5d, 0xfe5e, 0xfe5b, 0xfe5c,
                      0xff07, 0xff02, 0xfe66, 0xfe68, 0xfe4d))
  usual <- ",;:()[]{}'\"=\\_"
  blank <- gsub("_", " ", enc2utf8(labels), fixed = TRUE)
  chartr(rare, usual, blank)
}

# linkage.csv as hclust, the kind of tree that R's own functions take.
# Heights are dissimilarities if the tree has them, and else merge ranks. The names are the tips of
# tree.nwk, which has them in the order of the drawing.
read_linkage <- function(path, tips) {
  table <- read.csv(path, encoding = "UTF-8")
  rank <- is.null(table$dissimilarity) || anyNA(table$dissimilarity)
  height <- if (rank) table$rank else table$dissimilarity
  n <- nrow(table) + 1
  order <- order(height) # stable: a merge stays behind those under it
  place <- integer(n - 1)
  place[order] <- seq_len(n - 1)
  # Objects are -1, ..., -n in R, and merges 1, ..., n - 1.
  node <- function(number) ifelse(number < n, -number - 1, place[pmax(number - n + 1, 1)])
  merge <- cbind(node(table$cluster_1), node(table$cluster_2))[order, , drop = FALSE]
  leaves <- vector("list", n - 1)
  below <- function(entry) if (entry < 0) -entry else leaves[[entry]]
  for (t in seq_len(n - 1)) leaves[[t]] <- c(below(merge[t, 1]), below(merge[t, 2]))
  labels <- character(n)
  labels[leaves[[n - 1]]] <- tips
  structure(
    list(merge = merge, height = height[order], order = leaves[[n - 1]], labels = labels,
         method = "ordlink", call = match.call(), dist.method = "comparisons"),
    class = "hclust"
  )
}

main <- function(arguments) {
  folder <- arguments[1]
  n_clusters <- if (length(arguments) > 1) as.integer(arguments[2]) else 4L
  if (!requireNamespace("ape", quietly = TRUE)) stop("install.packages(\"ape\") first")

  phylo <- ape::read.tree(file.path(folder, "tree.nwk"))
  phylo$tip.label <- ordlink_names(phylo$tip.label)

  tree <- read_linkage(file.path(folder, "linkage.csv"), phylo$tip.label)

  draw <- if (capabilities("cairo")) cairo_pdf else pdf # cairo has letters of all languages
  height <- 2 + 0.15 * length(phylo$tip.label)
  draw(file.path(folder, "tree-in-r.pdf"), width = 7, height = height, onefile = TRUE)
  ape::plot.phylo(phylo, cex = 0.6)
  ape::axisPhylo()
  plot(tree, hang = -1, cex = 0.6)
  if (n_clusters > 1) rect.hclust(tree, k = n_clusters)
  invisible(dev.off())

  groups <- cutree(tree, k = n_clusters)
  writeLines(enc2utf8(paste(groups, names(groups), sep = "\t")), useBytes = TRUE)
}

if (sys.nframe() == 0) main(commandArgs(trailingOnly = TRUE))
