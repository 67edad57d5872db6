/**
 * The names under which Quipu is published. The name `quipu` belongs to somebody else on npm, and may do so on the Python
 * index, so no page may show a command that would install it.
 */
export const names = {
  /** The server and its command line, on npm and on the Python index. */
  broker: 'quipu-broker',
  sdk: '@quipu/sdk',
  testing: '@quipu/testing',
  image: 'quipu',
} as const

/** The oldest Node that runs the packed server: the first with `node:sqlite` without a flag. */
export const NODE_MIN = '22.13'
