import type { Environment } from '../environment.ts'

/** Variables that hold keys, tokens and passwords. */
const SECRET_NAME = /KEY|SECRET|TOKEN|PASSW|CREDENTIAL|AUTH/i
/** A shorter value is a word or a number, which would be removed everywhere. */
const SECRET_MIN = 8

/** Key ids of brokers and of Quipu, and texts that are secrets by their form or by the word before them. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b(?:PK|AK|CK)[A-Z0-9]{14,24}\b/g, 'removed-key'],
  [/\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{16,}\b/g, 'removed-key'],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, 'removed-token'],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, '$1 removed'],
  [
    /((?:secret|token|passw(?:or)?d|api[-_ ]?key|key[-_]?id|apca-api-[a-z-]+)["']?\s*[:=]\s*["']?)[^\s"',;&}]{4,}/gi,
    '$1removed',
  ],
  [/(:\/\/[^\s:/@]+:)[^\s@/]+@/g, '$1removed@'],
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    'removed-private-key',
  ],
  // 256 random bits or more, as secrets of brokers and of Quipu have.
  [
    /(?<![\w/+=-])(?=[\w/+=-]*\d)(?=[\w/+=-]*[A-Z])(?=[\w/+=-]*[a-z])[\w/+=-]{40,128}(?![\w/+=-])/g,
    'removed-secret',
  ],
]

/** Removes keys and other secrets from text. */
export class SecretFilter {
  readonly #known: readonly string[]

  /** `known` are removed wherever they occur, and so are the values of variables that hold secrets. */
  constructor(known: readonly string[], env: Environment) {
    const ofEnvironment = Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && SECRET_NAME.test(name) ? [value] : [],
    )
    const long = [...known, ...ofEnvironment].filter((secret) => secret.length >= SECRET_MIN)
    this.#known = [...new Set(long)].sort((a, b) => b.length - a.length)
  }

  get known(): readonly string[] {
    return this.#known
  }

  clean(text: string): string {
    const rest = this.#known.reduce((part, secret) => part.replaceAll(secret, 'removed'), text)
    return patterns.reduce((part, [pattern, replacement]) => part.replace(pattern, replacement), rest)
  }
}
