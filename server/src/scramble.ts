/**
 * Scrambles 128 bits under a key of 128 bits: Threefry with four words and 20 rounds (Salmon, Moraes, Dror and Shaw,
 * "Parallel random numbers: as easy as 1, 2, 3"). Different blocks never become the same under one key. It needs
 * additions, rotations and xor of 32 bits only, so it is the same on every machine. For ids, not for secrets.
 */
export function scramble(key: Int32Array, block: Int32Array): void {
  // The keys wander: those of each step begin one further on.
  let [k0, k1, k2, k3] = [key[0]!, key[1]!, key[2]!, key[3]!]
  let k4 = PARITY ^ k0 ^ k1 ^ k2 ^ k3
  let a = (block[0]! + k0) | 0
  let b = (block[1]! + k1) | 0
  let c = (block[2]! + k2) | 0
  let d = (block[3]! + k3) | 0
  for (let step = 1; ; step += 2) {
    b = rotated(b, 10) ^ (a = (a + b) | 0)
    d = rotated(d, 26) ^ (c = (c + d) | 0)
    d = rotated(d, 11) ^ (a = (a + d) | 0)
    b = rotated(b, 21) ^ (c = (c + b) | 0)
    b = rotated(b, 13) ^ (a = (a + b) | 0)
    d = rotated(d, 27) ^ (c = (c + d) | 0)
    d = rotated(d, 23) ^ (a = (a + d) | 0)
    b = rotated(b, 5) ^ (c = (c + b) | 0)
    a = (a + k1) | 0
    b = (b + k2) | 0
    c = (c + k3) | 0
    d = (d + k4 + step) | 0
    if (step === LAST_STEP) break
    b = rotated(b, 6) ^ (a = (a + b) | 0)
    d = rotated(d, 20) ^ (c = (c + d) | 0)
    d = rotated(d, 17) ^ (a = (a + d) | 0)
    b = rotated(b, 11) ^ (c = (c + b) | 0)
    b = rotated(b, 25) ^ (a = (a + b) | 0)
    d = rotated(d, 10) ^ (c = (c + d) | 0)
    d = rotated(d, 18) ^ (a = (a + d) | 0)
    b = rotated(b, 20) ^ (c = (c + b) | 0)
    a = (a + k2) | 0
    b = (b + k3) | 0
    c = (c + k4) | 0
    d = (d + k0 + step + 1) | 0
    ;[k0, k1, k2, k3, k4] = [k2, k3, k4, k0, k1]
  }
  block[0] = a
  block[1] = b
  block[2] = c
  block[3] = d
}

/** Four rounds each. */
const LAST_STEP = 5
const PARITY = 0x1bd11bda

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by))
