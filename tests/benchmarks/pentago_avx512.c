/* Phased Pentago by hand: eight games in a vector of eight bitboards, several vectors at once.
 *
 * The yardstick of what a programmer gets out of AVX-512 who knows the game. A row is seven
 * bits, the last one empty, so that a line is a board and itself shifted by 1, 6, 7 or 8. A
 * quarter turn is a transposition and a mirror, by swaps of bits at a distance. Same rules as
 * pentago/phased: red places, red rotates, black places, black rotates; after each ply a line
 * ends the game, so does a full board; who alone has a line wins.
 *
 * play(cycles, seed, out): out gets playouts, plies, red wins, black wins.
 */
#include <immintrin.h>
#include <stdint.h>

#define VECTORS 4
#define ROW 0x3full
#define BOARD (ROW | ROW << 7 | ROW << 14 | ROW << 21 | ROW << 28 | ROW << 35)
#define BLOCK (7ull | 7ull << 7 | 7ull << 14)
#define AND3 0x80
#define AND_XOR 0x28 /* (a ^ b) & c */
#define XOR3 0x96

typedef __m512i v8;

static inline v8 along(v8 b, int d) {
    v8 two = _mm512_and_si512(b, _mm512_srli_epi64(b, d));
    return _mm512_ternarylogic_epi64(
        two, _mm512_srli_epi64(two, 2 * d), _mm512_srli_epi64(b, 4 * d), AND3);
}

static inline __mmask8 has_line(v8 b) {
    v8 found = _mm512_ternarylogic_epi64(along(b, 1), along(b, 7), along(b, 8), 0xfe);
    found = _mm512_or_si512(found, along(b, 6));
    return _mm512_test_epi64_mask(found, found);
}

typedef struct {
    v8 board[2], low, high, born;
    __mmask8 live;
} game;

static inline v8 draw(game *g) {
    v8 s0 = g->low, s1 = g->high, sum = _mm512_add_epi64(s0, s1);
    s1 = _mm512_xor_si512(s1, s0);
    g->low = _mm512_ternarylogic_epi64(_mm512_rol_epi64(s0, 24), s1, _mm512_slli_epi64(s1, 16), 0x96);
    g->high = _mm512_rol_epi64(s1, 37);
    return sum;
}

static inline v8 pick(v8 cells, v8 random) {
    v8 rank = _mm512_srli_epi64(
        _mm512_mul_epu32(_mm512_srli_epi64(random, 32), _mm512_popcnt_epi64(cells)), 32);
    uint64_t c[8] __attribute__((aligned(64))), r[8] __attribute__((aligned(64)));
    _mm512_store_si512(c, cells);
    _mm512_store_si512(r, _mm512_sllv_epi64(_mm512_set1_epi64(1), rank));
    for (int i = 0; i < 8; i++) c[i] = _pdep_u64(r[i], c[i]);
    return _mm512_load_si512(c);
}

static inline v8 swap(v8 b, v8 mask, v8 by) {
    v8 t = _mm512_ternarylogic_epi64(b, _mm512_srlv_epi64(b, by), mask, AND_XOR);
    return _mm512_ternarylogic_epi64(b, t, _mm512_sllv_epi64(t, by), XOR3);
}

static inline v8 turn(v8 board, v8 at, v8 mask, v8 by) {
    v8 block = _mm512_and_si512(_mm512_srlv_epi64(board, at), _mm512_set1_epi64(BLOCK));
    v8 t = swap(block, _mm512_set1_epi64(1ull << 1 | 1ull << 9), _mm512_set1_epi64(6));
    t = swap(t, _mm512_set1_epi64(1ull << 2), _mm512_set1_epi64(12));
    t = swap(t, mask, by);
    return _mm512_xor_si512(board, _mm512_sllv_epi64(_mm512_xor_si512(block, t), at));
}

static inline void end(game *g, __mmask8 over, __mmask8 red, __mmask8 black, uint64_t ply,
                       uint64_t *out) {
    over &= g->live;
    if (!over) return;
    g->live &= ~over;
    out[0] += __builtin_popcount(over);
    out[1] += _mm512_mask_reduce_add_epi64(over, _mm512_sub_epi64(_mm512_set1_epi64(ply), g->born));
    out[2] += __builtin_popcount(over & red & ~black);
    out[3] += __builtin_popcount(over & black & ~red);
}

static inline void place(game *g, int who, uint64_t ply, uint64_t *out) {
    v8 all = _mm512_set1_epi64(BOARD);
    v8 empty = _mm512_andnot_si512(_mm512_or_si512(g->board[0], g->board[1]), all);
    g->board[who] = _mm512_or_si512(g->board[who], pick(empty, draw(g)));
    __mmask8 line = has_line(g->board[who]);
    __mmask8 full = _mm512_cmpeq_epi64_mask(_mm512_or_si512(g->board[0], g->board[1]), all);
    end(g, line | full, who ? 0 : line, who ? line : 0, ply, out);
}

static inline void rotate(game *g, uint64_t ply, uint64_t *out) {
    v8 random = draw(g);
    v8 ones = _mm512_set1_epi64(1);
    v8 right = _mm512_and_si512(_mm512_srli_epi64(random, 40), ones);
    v8 down = _mm512_and_si512(_mm512_srli_epi64(random, 50), ones);
    v8 at = _mm512_add_epi64(_mm512_mullo_epi32(right, _mm512_set1_epi64(3)),
                             _mm512_mullo_epi32(down, _mm512_set1_epi64(21)));
    __mmask8 clockwise = _mm512_movepi64_mask(random);
    v8 mask = _mm512_mask_blend_epi64(clockwise, _mm512_set1_epi64(7),
                                      _mm512_set1_epi64(1 | 1 << 7 | 1 << 14));
    v8 by = _mm512_mask_blend_epi64(clockwise, _mm512_set1_epi64(14), _mm512_set1_epi64(2));
    g->board[0] = turn(g->board[0], at, mask, by);
    g->board[1] = turn(g->board[1], at, mask, by);
    __mmask8 red = has_line(g->board[0]), black = has_line(g->board[1]);
    end(g, red | black, red, black, ply, out);
}

void play(uint64_t cycles, uint64_t seed, uint64_t *out) {
    game games[VECTORS];
    for (int i = 0; i < VECTORS; i++) {
        uint64_t words[16];
        for (int j = 0; j < 16; j++) {
            uint64_t z = seed += 0x9e3779b97f4a7c15ull;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
            words[j] = z ^ (z >> 31);
        }
        games[i].low = _mm512_loadu_si512(words);
        games[i].high = _mm512_loadu_si512(words + 8);
        games[i].board[0] = games[i].board[1] = games[i].born = _mm512_setzero_si512();
        games[i].live = 0xff;
    }
    for (uint64_t cycle = 0; cycle < cycles; cycle++) {
        uint64_t ply = 4 * cycle;
        for (int i = 0; i < VECTORS; i++) {
            game *g = &games[i];
            __mmask8 live = g->live;
            g->board[0] = _mm512_maskz_mov_epi64(live, g->board[0]);
            g->board[1] = _mm512_maskz_mov_epi64(live, g->board[1]);
            g->born = _mm512_mask_mov_epi64(_mm512_set1_epi64(ply), live, g->born);
            g->live = 0xff;
        }
        for (int i = 0; i < VECTORS; i++) place(&games[i], 0, ply + 1, out);
        for (int i = 0; i < VECTORS; i++) rotate(&games[i], ply + 2, out);
        for (int i = 0; i < VECTORS; i++) place(&games[i], 1, ply + 3, out);
        for (int i = 0; i < VECTORS; i++) rotate(&games[i], ply + 4, out);
    }
}
