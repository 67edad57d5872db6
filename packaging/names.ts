/**
 * The names under which Quipu is published. The npm name `quipu` belongs to somebody else, so no page may show a command
 * that would install it.
 */
export const names = {
  /** The server and its command line. */
  broker: 'quipu-broker',
  sdk: '@quipu/sdk',
  testing: '@quipu/testing',
  image: 'quipu',
} as const

/** The oldest Node that runs the packed server: the first with `node:sqlite` without a flag. */
export const NODE_MIN = '22.13'
