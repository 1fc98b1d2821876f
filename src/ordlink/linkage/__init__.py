"""What methods share: average linkage, initial clusters, the order of objects."""

from ordlink.linkage._average import average_linkage, link_by_average
from ordlink.linkage._average_features import link_features_by_average
from ordlink.linkage._estimates import describe_merges
from ordlink.linkage._initial_partition import InitialClusters, InitialPartition, initial_partition
from ordlink.linkage._numbering import (
    new_pair_ids,
    order_of_appearance,
    permute_objects,
    restore_objects,
)
from ordlink.linkage._parts import grow_each_part, grow_parts, list_parts

__all__ = [
    "InitialClusters",
    "InitialPartition",
    "average_linkage",
    "describe_merges",
    "grow_each_part",
    "grow_parts",
    "initial_partition",
    "link_by_average",
    "link_features_by_average",
    "list_parts",
    "new_pair_ids",
    "order_of_appearance",
    "permute_objects",
    "restore_objects",
]
