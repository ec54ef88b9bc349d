/* Random games of Connect Four as fast as plain C plays them: the limit for what is generated.
 *
 *     connect_four GAMES SEED
 *
 * A full line is looked for through the last disc only, by counting runs. Columns are drawn uniformly
 * from those that are not full. Prints the decisions made and the games won by either player.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 7, HEIGHT = 6, CELLS = WIDTH * HEIGHT };

static uint32_t state[4];

static uint32_t rotl(uint32_t x, int k) { return (x << k) | (x >> (32 - k)); }

static uint32_t next(void) { /* xoshiro128** */
    uint32_t result = rotl(state[1] * 5, 7) * 9, t = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotl(state[3], 11);
    return result;
}

static uint32_t bounded(uint32_t n) { /* unbiased */
    uint64_t m = (uint64_t)next() * n;
    if ((uint32_t)m < n) {
        uint32_t threshold = -n % n;
        while ((uint32_t)m < threshold) m = (uint64_t)next() * n;
    }
    return m >> 32;
}

static int run(const int8_t board[WIDTH][HEIGHT], int x, int y, int dx, int dy, int8_t who) {
    int n = 0;
    for (x += dx, y += dy; x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT && board[x][y] == who; x += dx, y += dy)
        n++;
    return n;
}

static int four(const int8_t board[WIDTH][HEIGHT], int x, int y, int8_t who) {
    static const int ways[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    for (int k = 0; k < 4; k++) {
        int dx = ways[k][0], dy = ways[k][1];
        if (run(board, x, y, dx, dy, who) + run(board, x, y, -dx, -dy, who) >= 3) return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    long games = argc > 1 ? atol(argv[1]) : 1, decisions = 0, wins[3] = {0, 0, 0};
    uint32_t seed = argc > 2 ? (uint32_t)atol(argv[2]) : 1;
    for (int i = 0; i < 4; i++) state[i] = seed += 0x9E3779B9u;
    for (long g = 0; g < games; g++) {
        int8_t board[WIDTH][HEIGHT] = {{0}}, who = 1;
        int height[WIDTH] = {0}, winner = 0;
        for (int moves = 0; moves < CELLS && !winner; moves++) {
            int open[WIDTH], n = 0;
            for (int x = 0; x < WIDTH; x++)
                if (height[x] < HEIGHT) open[n++] = x;
            int x = open[n == 1 ? 0 : bounded(n)], y = height[x]++;
            board[x][y] = who;
            decisions++;
            if (four((const int8_t(*)[HEIGHT])board, x, y, who)) winner = who;
            who = 3 - who;
        }
        wins[winner]++;
    }
    printf("%ld %ld %ld\n", decisions, wins[1], wins[2]);
    return 0;
}
