import { sparkClaimPackage, sparkLightningReceivePackage, sparkSignatureRequest, sparkTransferPackage } from './chain-types.ts';
import { INT, listOf, STRING, type StructType, type Type } from './types.ts';

/** Activity type → what `activity.params` shows of it. Every other parameter stays hidden from policies. */
export type ParameterTable = Readonly<Record<string, Readonly<Record<string, Type>>>>;

const signing = { hash_function: STRING, encoding: STRING };
const target = { target_public_key: STRING };
const login = { session_profile_id: STRING };
const endpoint = { endpoint_id: STRING };

export const parameterTable: ParameterTable = {
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: signing,
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: signing,
  ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: signing,
  ACTIVITY_TYPE_SIGN_TRANSACTION: { type: STRING },
  ACTIVITY_TYPE_SIGN_TRANSACTION_V2: { type: STRING },
  ACTIVITY_TYPE_DELETE_USERS: { user_ids: listOf(STRING) },
  ACTIVITY_TYPE_CREATE_API_KEYS: { user_id: STRING },
  ACTIVITY_TYPE_CREATE_API_KEYS_V2: { user_id: STRING },
  ACTIVITY_TYPE_DELETE_API_KEYS: { user_id: STRING, api_key_ids: listOf(STRING) },
  ACTIVITY_TYPE_EXPORT_WALLET: target,
  ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT: target,
  ACTIVITY_TYPE_EXPORT_PRIVATE_KEY: target,
  ACTIVITY_TYPE_UPDATE_WALLET: { wallet_id: STRING },
  ACTIVITY_TYPE_INIT_OTP_AUTH_V2: { otp_length: INT },
  ACTIVITY_TYPE_INIT_OTP_AUTH_V3: { otp_length: INT },
  ACTIVITY_TYPE_OTP_LOGIN: login,
  ACTIVITY_TYPE_OTP_LOGIN_V2: login,
  ACTIVITY_TYPE_STAMP_LOGIN: login,
  ACTIVITY_TYPE_OAUTH_LOGIN: login,
  ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT: endpoint,
  ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT: endpoint,
  ACTIVITY_TYPE_SPARK_SIGN_FROST: { sign_with: STRING, signatures: listOf(sparkSignatureRequest) },
  ACTIVITY_TYPE_SPARK_PREPARE_TRANSFER: { sign_with: STRING, transfer: sparkTransferPackage },
  ACTIVITY_TYPE_SPARK_CLAIM_TRANSFER: { sign_with: STRING, claim: sparkClaimPackage },
  ACTIVITY_TYPE_SPARK_PREPARE_LIGHTNING_RECEIVE: { sign_with: STRING, lightning_receive: sparkLightningReceivePackage },
};

/** The struct of all parameters of all types. A field that the activity's type does not have is absent when it is read. */
export function parametersType(table: ParameterTable): StructType {
  const fields: Record<string, Type> = {};
  const fieldsOf: Record<string, readonly string[]> = {};
  for (const [type, own] of Object.entries(table)) {
    Object.assign(fields, own);
    fieldsOf[type] = Object.keys(own);
  }
  return { kind: 'struct', name: 'Parameters', fields, tag: { root: 'activity', field: 'type', fieldsOf } };
}
