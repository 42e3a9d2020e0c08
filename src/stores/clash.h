/* SPDX-License-Identifier: MIT */
/* Names that several models share are made to differ. */

#ifndef GGUFS_STORES_CLASH_H
#define GGUFS_STORES_CLASH_H

#include "stores/found.h"

/* The rule is found_finish's. Names of items without a trouble differ then. 0 or
 * -ENOMEM. */
int clash_resolve(struct found_list *list);

#endif
