import { Failure, sentenceOf } from '../api/index.ts'
import { useWords } from '../words/index.ts'
import { Banner } from './feedback.tsx'

/** Says why what was just tried has failed, with the id of the request; nothing where `error` is null. */
export function FailureBanner({ error }: { readonly error: Error | null }) {
  const words = useWords()
  if (error === null) return null
  return (
    <Banner meaning="danger" isAlert>
      <p>
        {sentenceOf(error, words)} {error instanceof Failure ? <span className="mono">{error.requestId}</span> : null}
      </p>
    </Banner>
  )
}
