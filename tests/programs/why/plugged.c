/* What `wild` loads while it runs. */
int twice(int x)
{
    int y = x * 2; /* P1 */
    return y;
}
