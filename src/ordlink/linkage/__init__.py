"""What methods share: average linkage, initial clusters, the order of objects."""

from ordlink.linkage._average import average_linkage
from ordlink.linkage._average_features import average_linkage_of_features
from ordlink.linkage._initial_partition import InitialPartition, clusters_of, initial_partition
from ordlink.linkage._numbering import (
    new_pair_ids,
    order_of_appearance,
    permute_objects,
    restore_objects,
)

__all__ = [
    "InitialPartition",
    "average_linkage",
    "average_linkage_of_features",
    "clusters_of",
    "initial_partition",
    "new_pair_ids",
    "order_of_appearance",
    "permute_objects",
    "restore_objects",
]
