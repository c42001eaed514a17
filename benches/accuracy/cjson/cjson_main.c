/* Does something with JSON files: OPERATION FILE [ARGUMENT...]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cJSON.h"
#include "cJSON_Utils.h"

static char text[1 << 16];

static const char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    size_t length;

    if (!file) {
        printf("no %s\n", name);
        exit(2);
    }
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = 0;
    fclose(file);
    return text;
}

static cJSON *parsed(const char *name)
{
    const char *source = read_file(name);
    cJSON *item = cJSON_Parse(source);

    if (!item) {
        printf("error at %ld\n", (long)(cJSON_GetErrorPtr() - source));
        exit(1);
    }
    return item;
}

static void show(cJSON *item)
{
    char *out = cJSON_Print(item);

    puts(out ? out : "(nothing)");
    free(out);
}

int main(int argc, char **argv)
{
    const char *operation = argc > 2 ? argv[1] : "", *word = argc > 3 ? argv[3] : "", *more = argc > 4 ? argv[4] : "";
    cJSON *item, *other;

    if (argc < 3)
        return 2;
    if (!strcmp(operation, "minify")) {
        read_file(argv[2]);
        cJSON_Minify(text);
        puts(text);
    } else if (!strcmp(operation, "length")) {
        read_file(argv[2]);
        item = cJSON_ParseWithLength(text, atoi(word));
        show(item);
    } else if (!strcmp(operation, "prefix")) {
        const char *end;
        item = cJSON_ParseWithOpts(read_file(argv[2]), &end, 0);
        printf("%ld\n", (long)(end - text));
        show(item);
    } else {
        item = parsed(argv[2]);
        if (!strcmp(operation, "print")) {
            show(item);
        } else if (!strcmp(operation, "short")) {
            puts(cJSON_PrintUnformatted(item));
        } else if (!strcmp(operation, "buffered")) {
            puts(cJSON_PrintBuffered(item, atoi(word), *more != 0));
        } else if (!strcmp(operation, "room")) {
            static char room[4096];
            printf("%d\n", cJSON_PrintPreallocated(item, room, atoi(word), *more != 0));
            puts(room);
        } else if (!strcmp(operation, "copy")) {
            show(cJSON_Duplicate(item, *word == 'r'));
        } else if (!strcmp(operation, "get")) {
            show(cJSONUtils_GetPointer(item, word));
        } else if (!strcmp(operation, "getcase")) {
            show(cJSONUtils_GetPointerCaseSensitive(item, word));
        } else if (!strcmp(operation, "find")) {
            char *path;
            other = cJSON_GetArrayItem(cJSON_GetObjectItem(item, word), atoi(more));
            path = cJSONUtils_FindPointerFromObjectTo(item, other);
            puts(path ? path : "(none)");
        } else if (!strcmp(operation, "sort")) {
            cJSONUtils_SortObjectCaseSensitive(item);
            show(item);
        } else if (!strcmp(operation, "remove")) {
            cJSON_DeleteItemFromObject(item, word);
            show(item);
        } else if (!strcmp(operation, "cut")) {
            cJSON_DeleteItemFromArray(item, atoi(word));
            show(item);
        } else if (!strcmp(operation, "insert")) {
            printf("%d\n", cJSON_InsertItemInArray(item, atoi(word), *more ? cJSON_CreateString(more) : NULL));
            show(item);
        } else if (!strcmp(operation, "replace")) {
            printf("%d\n", cJSON_ReplaceItemInObject(item, word, cJSON_CreateString(more)));
            show(item);
        } else if (!strcmp(operation, "set")) {
            char *set = cJSON_SetValuestring(cJSON_GetObjectItem(item, word), argc > 4 ? more : NULL);
            puts(set ? set : "(not set)");
            show(item);
        } else if (!strcmp(operation, "number")) {
            other = cJSON_GetObjectItemCaseSensitive(item, word);
            printf("%d %.17g\n", other ? other->valueint : -1, cJSON_GetNumberValue(other));
        } else if (!strcmp(operation, "add")) {
            cJSON_AddNumberToObject(item, word, atof(more));
            cJSON_AddNullToObject(item, "null");
            cJSON_AddItemToObject(item, "array", cJSON_CreateIntArray((const int[]){ 3, 1, 2 }, 3));
            show(item);
        } else {
            other = parsed(word);
            if (!strcmp(operation, "same"))
                printf("%d %d\n", cJSON_Compare(item, other, 1), cJSON_Compare(item, other, 0));
            else if (!strcmp(operation, "difference"))
                show(cJSONUtils_GeneratePatchesCaseSensitive(item, other));
            else if (!strcmp(operation, "patch"))
                printf("%d\n", cJSONUtils_ApplyPatchesCaseSensitive(item, other)), show(item);
            else if (!strcmp(operation, "merge"))
                show(cJSONUtils_MergePatchCaseSensitive(item, other));
            else if (!strcmp(operation, "mergedifference"))
                show(cJSONUtils_GenerateMergePatchCaseSensitive(item, other));
            else
                return 2;
        }
    }
    return 0;
}
