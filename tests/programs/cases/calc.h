int add(int one, int other);
int times(int factor, int count);
