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
    /((?:secret|token|passw(?:or)?d|credential|api[-_ ]?key|key[-_]?id|apca-api-[a-z-]+)["']?\s*(?:=>|[:=])\s*["']?)[^\s"',;&}]{4,}/gi,
    '$1removed',
  ],
  // As in a dump of an environment.
  [
    /\b([A-Z][A-Z0-9_]*(?:SECRET|TOKEN|PASSW|CREDENTIAL|KEY)[A-Z0-9_]*["']?\s*(?:=>|[:=])\s*["']?)[^\s"',;&}]{8,}/g,
    '$1removed',
  ],
  // Client secrets of apps. Hashes of commits have the same form.
  [/(?<!\w)[0-9a-f]{40}(?!\w)/g, 'removed-secret'],
  // The code of an OAuth redirect.
  [/([?&](?:code|code_verifier|client_assertion)=)[^&\s"']{8,}/g, '$1removed'],
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

/** Fields and flags that hold secrets. */
const SECRET_FIELD = /secret|token|passw|credential|private[-_]?key|api[-_]?key|key[-_]?id/i

const SECRET_ENTRY = /"(access_token|refresh_token|id_token|client_secret|code)"\s*:\s*"([^"\\]{8,})"/g
/** Each is looked for in every line. */
const KNOWN_MAX = 1000

/** A secret as it is, in an address, and in base64. */
const formsOf = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
]

/** A flag that holds a secret, with its value if that is in the same word. */
const secretFlag = (word: string): { readonly value: string | undefined } | undefined => {
  const [, name = '', , value] = /^--?([\w-]+)(=(.+))?$/.exec(word) ?? []
  return SECRET_FIELD.test(name) || /^auth/i.test(name) ? { value } : undefined
}

/** The values of the flags of a command that hold secrets: `--token VALUE` and `--token=VALUE`. */
export function secretArguments(command: readonly string[]): readonly string[] {
  return command.flatMap((word, index) => {
    const flag = secretFlag(word)
    return flag ? (flag.value ?? command[index + 1] ?? []) : []
  })
}

/** Removes keys and other secrets from text. */
export class SecretFilter {
  #known: readonly string[] = []

  /** `known` are removed wherever they occur, and so are the values of variables that hold secrets. */
  constructor(known: readonly string[], env: Environment) {
    const ofEnvironment = Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && SECRET_NAME.test(name) ? [value] : [],
    )
    this.#add([...known, ...ofEnvironment])
  }

  get known(): readonly string[] {
    return this.#known
  }

  /** From now on the secrets in a JSON body are removed too. */
  learn(body: string): void {
    if (this.#known.length < KNOWN_MAX)
      this.#add([...body.matchAll(SECRET_ENTRY)].flatMap(([, , value]) => value ?? []))
  }

  #add(secrets: readonly string[]): void {
    const long = secrets.filter((secret) => secret.length >= SECRET_MIN)
    const known = new Set([...this.#known, ...long.flatMap(formsOf)])
    this.#known = [...known].sort((a, b) => b.length - a.length)
  }

  clean(text: string): string {
    const rest = this.#known.reduce((part, secret) => part.replaceAll(secret, 'removed'), text)
    return patterns.reduce((part, [pattern, replacement]) => part.replace(pattern, replacement), rest)
  }

  /** The words of a command. The value of a flag that holds a secret is removed even if it is short. */
  cleanCommand(words: readonly string[]): readonly string[] {
    return words.map((word, index) => {
      const [flag, before] = [secretFlag(word), secretFlag(words[index - 1] ?? '')]
      if (flag?.value !== undefined) return `${word.slice(0, -flag.value.length)}removed`
      return before && before.value === undefined && !word.startsWith('-') ? 'removed' : this.clean(word)
    })
  }

  /** The same value with cleaned texts. */
  cleanValue(value: unknown): unknown {
    if (typeof value === 'string') return this.clean(value)
    if (Array.isArray(value)) return value.map((one) => this.cleanValue(one))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        this.clean(name),
        typeof one === 'string' && one !== '' && SECRET_FIELD.test(name) ? 'removed' : this.cleanValue(one),
      ]),
    )
  }
}
