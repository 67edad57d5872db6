import { operation } from '../../operation.ts'
import { oneOf, optional, record, text } from '../../shape/index.ts'

const shared = { family: 'system', who: ['anyone'], scope: 'never' } as const

export const system = {
  getOpenApi: operation('GET /openapi.json', shared, {
    summary: 'Get the API as an OpenAPI document.',
    raw: 'application/json',
  }),
  getSecurityText: operation('GET /.well-known/security.txt', shared, {
    summary: 'Get the security contact of this server (RFC 9116).',
    raw: 'text/plain; charset=utf-8',
  }),
  getHealth: operation('GET /healthz', shared, {
    probe: true,
    summary: 'Check that the process responds.',
    output: record({ status: oneOf('ok') }),
  }),
  getReadiness: operation('GET /readyz', shared, {
    probe: true,
    summary: 'Check that the server accepts commands. Only main counts, not other worlds.',
    output: record({
      status: oneOf('ready'),
      warning: optional(text()).about(
        'Problem that an operator should look at, such as a clock that is behind.',
      ),
    }),
    errors: ['notReady'],
  }),
  getMetrics: operation('GET /metrics', shared, {
    who: ['anyone', 'operator'],
    summary: 'Get metrics in the Prometheus text format. Only operators see the metrics of each world.',
    raw: 'text/plain; version=0.0.4; charset=utf-8',
    errors: ['unauthorized'],
  }),
}
