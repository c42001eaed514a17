/* Packs a file into a frame, shows it in hexadecimal, and unpacks it again: LEVEL LINKED CHECKED BLOCK FILE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lz4frame.h"

static char in[1 << 16], packed[1 << 20], out[1 << 17];

static size_t checked(const char *what, size_t code)
{
    if (LZ4F_isError(code)) {
        printf("%s: %s\n", what, LZ4F_getErrorName(code));
        exit(1);
    }
    return code;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 6 ? fopen(argv[5], "rb") : 0;
    LZ4F_preferences_t preferences;
    LZ4F_cctx *pack;
    LZ4F_dctx *unpack;
    size_t length, used = 0, at, produced = 0;

    if (!file)
        return 2;
    length = fread(in, 1, sizeof in, file);
    memset(&preferences, 0, sizeof preferences);
    preferences.compressionLevel = atoi(argv[1]);
    preferences.frameInfo.blockMode = atoi(argv[2]) ? LZ4F_blockLinked : LZ4F_blockIndependent;
    preferences.frameInfo.contentChecksumFlag = preferences.frameInfo.blockChecksumFlag = atoi(argv[3]);
    preferences.frameInfo.blockSizeID = atoi(argv[4]);
    checked("context", LZ4F_createCompressionContext(&pack, LZ4F_VERSION));
    used = checked("begin", LZ4F_compressBegin(pack, packed, sizeof packed, &preferences));
    for (at = 0; at < length; at += 600) {
        size_t piece = length - at < 600 ? length - at : 600;
        used += checked("update", LZ4F_compressUpdate(pack, packed + used, sizeof packed - used, in + at, piece, 0));
        if (at % 1800 == 0)
            used += checked("flush", LZ4F_flush(pack, packed + used, sizeof packed - used, 0));
    }
    used += checked("end", LZ4F_compressEnd(pack, packed + used, sizeof packed - used, 0));
    for (at = 0; at < used; at++)
        printf("%02x%s", (unsigned char)packed[at], at % 32 == 31 ? "\n" : "");
    checked("context", LZ4F_createDecompressionContext(&unpack, LZ4F_VERSION));
    for (at = 0; at < used;) {
        size_t take = used - at < 500 ? used - at : 500, room = sizeof out - produced;
        if (checked("decompress", LZ4F_decompress(unpack, out + produced, &room, packed + at, &take, 0)) == 0 && take == 0)
            break;
        produced += room;
        at += take;
    }
    printf("\n%zu %s\n", produced, produced == length && !memcmp(in, out, length) ? "same" : "differs");
    return 0;
}
