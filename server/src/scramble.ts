/**
 * Scrambles 128 bits under a key of 128 bits: Threefry with four words and 20 rounds (Salmon, Moraes, Dror and Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3"). Different blocks never become the same under one key. It needs
 * additions, rotations and xor of 32 bits only, so it is the same on every machine. For ids, not for secrets.
 */
export function scramble(key: Int32Array, block: Int32Array): void {
  keys[0] = key[0]!
  keys[1] = key[1]!
  keys[2] = key[2]!
  keys[3] = key[3]!
  keys[4] = PARITY ^ keys[0] ^ keys[1] ^ keys[2] ^ keys[3]
  let a = (block[0]! + keys[0]) | 0
  let b = (block[1]! + keys[1]) | 0
  let c = (block[2]! + keys[2]) | 0
  let d = (block[3]! + keys[3]) | 0
  for (let round = 0; round < ROUNDS; round += 2) {
    const by = (round & 7) << 1
    a = (a + b) | 0
    b = rotated(b, ROTATIONS[by]!) ^ a
    c = (c + d) | 0
    d = rotated(d, ROTATIONS[by + 1]!) ^ c
    a = (a + d) | 0
    d = rotated(d, ROTATIONS[by + 2]!) ^ a
    c = (c + b) | 0
    b = rotated(b, ROTATIONS[by + 3]!) ^ c
    if ((round & 2) === 0) continue
    const step = (round + 2) >> 2
    a = (a + keys[step % 5]!) | 0
    b = (b + keys[(step + 1) % 5]!) | 0
    c = (c + keys[(step + 2) % 5]!) | 0
    d = (d + keys[(step + 3) % 5]! + step) | 0
  }
  block[0] = a
  block[1] = b
  block[2] = c
  block[3] = d
}

/** Made once: ids are made several times per order. */
const keys = new Int32Array(5)
const ROUNDS = 20
const PARITY = 0x1bd11bda
const ROTATIONS = Uint8Array.of(10, 26, 11, 21, 13, 27, 23, 5, 6, 20, 17, 11, 25, 10, 18, 20)

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by))
