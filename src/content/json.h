/* SPDX-License-Identifier: MIT */
/* JSON in parts, for strings that are too long to be written at once. What is written
 * whole is in text.h. */

#ifndef GGUFS_CONTENT_JSON_H
#define GGUFS_CONTENT_JSON_H

#include "base/sink.h"

/* Around a string that is not UTF-8, in base64. */
#define JSON_BASE64_OPEN  "{\"base64\":\""
#define JSON_BASE64_CLOSE "\"}"

/* The inside of a JSON string. The bytes may be any part of valid UTF-8, also of a
 * character. Writes at most six bytes for one. */
void json_write_characters(struct sink *sink, const char *bytes, size_t length);
/* Base64, with '=' at the end; all parts but the last are a multiple of three bytes
 * long. */
void json_write_base64(struct sink *sink, const char *bytes, size_t length);

#endif
