import type { Words } from '../words/index.ts'
import { Failure } from './failure.ts'

/**
 * A failure as a sentence for the person who reads it. What the server says about values in the body is said in its own words, which are
 * English: they name fields and limits that only it knows.
 */
export function sentenceOf(error: unknown, { t, language }: Words): string {
  if (!(error instanceof Failure)) return t('The server made a mistake. Request {request}.', { request: '–' })
  const time = error.retryAt?.toLocaleTimeString(language, { hour: '2-digit', minute: '2-digit' })
  switch (error.code) {
    case 'unreachable':
      return t('The server cannot be reached. Nothing is lost: try again in a moment.')
    case 'new_build':
      return t('These pages are of an older version. Reload for the new version.')
    case 'sign_in_refused':
      return time === undefined
        ? t('E-mail or password is wrong.')
        : t('E-mail or password is wrong. Try again at {time}.', { time })
    case 'too_many_attempts':
    case 'rate_limit_exceeded':
      return time === undefined
        ? t('Too many attempts. Try again in a minute.')
        : t('Too many attempts. Try again at {time}.', { time })
    case 'not_signed_in':
      return t('You are signed out. Sign in to go on.')
    case 'second_factor_required':
      return t('The code is wrong, or was used before.')
    case 'second_factor_missing':
      return t('This organization demands a second factor. Set one up in your account.')
    case 'fresh_sign_in_required':
      return t('Enter your password once more.')
    case 'sign_in_not_possible':
      return t('This page is on plain http. Sign-in needs https, or http://localhost on the machine of the server.')
    case 'wrong_host':
    case 'wrong_origin':
      return t('This address is not the one of the server. The operator sets it as PUBLIC_BASE_URL.')
    case 'insufficient_scope':
      return t('Your role does not allow this.')
    case 'link_not_valid':
      return error.details['who'] === 'owner'
        ? t('This link is used, expired or was replaced. An owner of the organization can make a new one.')
        : t('This link is used, expired or was replaced. The operator of the server can make a new one.')
    case 'version_conflict':
      return t('Somebody changed this meanwhile.')
    case 'not_found':
    case 'gone':
      return t('This is not there, or was deleted.')
    default:
      return error.status >= 500
        ? t('The server made a mistake. Request {request}.', { request: error.requestId ?? '–' })
        : (error.issues[0]?.message ?? error.message)
  }
}
