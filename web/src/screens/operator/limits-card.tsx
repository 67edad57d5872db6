import type { JSX } from 'preact'
import { Card } from '../../parts/card.tsx'
import { Shown } from '../../parts/shown.tsx'
import { bytesText, countText } from './metrics.ts'
import { server } from './readings.ts'

const limited = [
  ['quipu_worlds', 'Worlds', countText],
  ['quipu_open_connections', 'Connections', countText],
  ['quipu_event_streams', 'Event streams', countText],
  ['quipu_unsent_response_bytes', 'Unread responses', bytesText],
] as const

/** How much of each limit is in use. */
export const LimitsCard = (): JSX.Element => (
  <Card
    title="Limits in use"
    footer={
      <a class="link" href="docs/reference/settings">
        Settings
      </a>
    }
  >
    <Shown of={server} what="the limits">
      {({ metrics: { values, limits } }) => (
        <ul class="body stack limits">
          {limited.map(([metric, name, textOf]) => {
            const [used, limit] = [values.get(metric) ?? 0, limits.get(metric) ?? 0]
            const part = limit === 0 ? 0 : Math.min(used / limit, 1)
            return (
              <li key={metric}>
                <div>
                  <span>{name}</span>
                  <span class={`n ${part > 0.9 ? 'of-wrong' : ''}`}>
                    {textOf(used)} <small>of {textOf(limit)}</small>
                  </span>
                </div>
                <div class="meter" aria-hidden="true">
                  <i class={part > 0.9 ? 'full' : ''} style={{ width: `${part * 100}%` }} />
                </div>
              </li>
            )
          })}
        </ul>
      )}
    </Shown>
  </Card>
)
