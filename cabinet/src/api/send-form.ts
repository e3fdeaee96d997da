import { Failure } from './failure.ts'
import { type Answer, readAnswer } from './request.ts'

/** How a form is sent. */
export interface FormWay {
  readonly key: string
  readonly signal: AbortSignal
  /** Told how many bytes have gone. */
  readonly onProgress: (bytes: number) => void
}

/**
 * Sends a form with files below `/cabinet/api`, and tells how far it has come: `fetch` cannot. Throws a `Failure`, also when it was given
 * up while it was sent.
 */
export function sendForm<Data>(
  path: string,
  form: FormData,
  { key, signal, onProgress }: FormWay,
): Promise<Answer<Data>> {
  // A signal that has been given before tells nobody anything any more.
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest()
    const unreachable = () => reject(new Failure('unreachable', 0, 'The server did not answer', {}, null))
    call.open('POST', `/cabinet/api${path}`)
    call.setRequestHeader('Accept', 'application/json')
    call.setRequestHeader('X-Crm-Cabinet', '1')
    call.setRequestHeader('Idempotency-Key', key)
    call.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    call.addEventListener('error', unreachable)
    call.addEventListener('abort', unreachable)
    call.addEventListener('load', () => {
      try {
        resolve(readAnswer<Data>(call.responseText, call.status, call.getResponseHeader('X-Request-Id')))
      } catch (error) {
        reject(error)
      }
    })
    signal.addEventListener('abort', () => call.abort(), { once: true })
    call.send(form)
  })
}
