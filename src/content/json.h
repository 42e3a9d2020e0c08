/* SPDX-License-Identifier: MIT */
/* JSON of strings: whole, or in parts where they are too long to be written at once. What
 * else is written whole is in text.h. */

#ifndef GGUFS_CONTENT_JSON_H
#define GGUFS_CONTENT_JSON_H

#include "base/sink.h"

/* Around a string that is not UTF-8, in base64. */
#define JSON_BASE64_OPEN  "{\"base64\":\""
#define JSON_BASE64_CLOSE "\"}"

/* Any bytes: a string where they are UTF-8, else the object with base64. */
void json_write_bytes(struct sink *sink, const char *bytes, size_t length);
/* The inside of a JSON string. The bytes may be any part of valid UTF-8, also of a
 * character. Writes at most six bytes for one. */
void json_write_characters(struct sink *sink, const char *bytes, size_t length);
/* Base64, with '=' at the end; all parts but the last are a multiple of three bytes
 * long. */
void json_write_base64(struct sink *sink, const char *bytes, size_t length);

#endif
