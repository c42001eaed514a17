struct tally {
    int below;
    int above;
};

int weighted(int value, int place);
