/** The values of metrics without labels, the limits by the metric that they limit, and the version. */
export type Metrics = {
  readonly values: ReadonlyMap<string, number>
  readonly limits: ReadonlyMap<string, number>
  readonly version: string | undefined
  /** Responses by the first digit of their status. */
  readonly responses: ReadonlyMap<string, number>
}

const LINE = /^([a-z_0-9]+)(?:\{(.*)\})? ([-+0-9.eE]+)$/

/** Reads the Prometheus text format of `/metrics`. */
export function metricsOf(text: string): Metrics {
  const [values, limits, responses] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ]
  let version: string | undefined
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', number = ''] = LINE.exec(line) ?? []
    if (name === 'quipu_build_info') version = labelOf(labels, 'version')
    else if (name === 'quipu_limit') limits.set(labelOf(labels, 'metric'), Number(number))
    else if (name === 'quipu_requests_total') {
      const group = labelOf(labels, 'status').slice(0, 1)
      responses.set(group, (responses.get(group) ?? 0) + Number(number))
    }
    // Streams are counted by kind; their sum is shown.
    else if (name !== '' && (labels === '' || name === 'quipu_streams'))
      values.set(name, (values.get(name) ?? 0) + Number(number))
  }
  return { values, limits, version, responses }
}

const labelOf = (labels: string, name: string): string =>
  new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? ''

const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** `218 MB`, `1.05 MB`: three digits. */
export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toPrecision(3)} ${units[step]}`
}

/** `12,345` */
export const countText = (count: number): string => count.toLocaleString('en-US')
