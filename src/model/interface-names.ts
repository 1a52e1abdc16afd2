/**
 * What the published interface names, served here or not: it tells what is not there yet from what is misspelt. No operation
 * edits this.
 */
const TYPES = `
  ACCEPT_INVITATION ACCEPT_INVITATION_V2 ACTIVATE_BILLING_TIER APPROVE_ACTIVITY CLAIM_EARN_FEES CLAIM_SWAP_FEES
  CREATE_API_KEYS CREATE_API_KEYS_V2 CREATE_API_ONLY_USERS CREATE_AUTHENTICATORS CREATE_AUTHENTICATORS_V2
  CREATE_FIAT_ON_RAMP_CREDENTIAL CREATE_INVITATIONS CREATE_MFA_POLICY CREATE_OAUTH2_CREDENTIAL CREATE_OAUTH_PROVIDERS
  CREATE_OAUTH_PROVIDERS_V2 CREATE_ORGANIZATION CREATE_ORGANIZATION_V2 CREATE_POLICIES CREATE_POLICY CREATE_POLICY_V2
  CREATE_POLICY_V3 CREATE_PRIVATE_KEYS CREATE_PRIVATE_KEYS_V2 CREATE_PRIVATE_KEY_TAG CREATE_READ_ONLY_SESSION
  CREATE_READ_WRITE_SESSION CREATE_READ_WRITE_SESSION_V2 CREATE_SESSION_PROFILE CREATE_SMART_CONTRACT_INTERFACE
  CREATE_SUB_ORGANIZATION CREATE_SUB_ORGANIZATION_V2 CREATE_SUB_ORGANIZATION_V3 CREATE_SUB_ORGANIZATION_V4
  CREATE_SUB_ORGANIZATION_V5 CREATE_SUB_ORGANIZATION_V6 CREATE_SUB_ORGANIZATION_V7 CREATE_SUB_ORGANIZATION_V8
  CREATE_SWAP_QUOTE CREATE_TVC_APP CREATE_TVC_DEPLOYMENT CREATE_TVC_MANIFEST_APPROVALS CREATE_TVC_OPERATOR
  CREATE_TVC_QUORUM_KEY CREATE_USERS CREATE_USERS_V2 CREATE_USERS_V3 CREATE_USERS_V4 CREATE_USER_TAG CREATE_WALLET
  CREATE_WALLET_ACCOUNTS CREATE_WEBHOOK_ENDPOINT DELETE_API_KEYS DELETE_AUTHENTICATORS DELETE_FIAT_ON_RAMP_CREDENTIAL
  DELETE_INVITATION DELETE_MFA_POLICY DELETE_OAUTH2_CREDENTIAL DELETE_OAUTH_PROVIDERS DELETE_ORGANIZATION
  DELETE_PAYMENT_METHOD DELETE_POLICIES DELETE_POLICY DELETE_PRIVATE_KEYS DELETE_PRIVATE_KEY_TAGS
  DELETE_SMART_CONTRACT_INTERFACE DELETE_SUB_ORGANIZATION DELETE_TVC_APP_AND_DEPLOYMENTS DELETE_TVC_DEPLOYMENT DELETE_USERS
  DELETE_USER_TAGS DELETE_WALLETS DELETE_WALLET_ACCOUNTS DELETE_WEBHOOK_ENDPOINT DISABLE_AUTH_PROXY DISABLE_PRIVATE_KEY
  EARN_DEPLOY_WRAPPER EARN_DEPOSIT EARN_SET_WRAPPER_STATE EARN_WITHDRAW EMAIL_AUTH EMAIL_AUTH_V2 EMAIL_AUTH_V3
  ENABLE_AUTH_PROXY ETH_SEND_RAW_TRANSACTION ETH_SEND_TRANSACTION ETH_SEND_TRANSACTION_V2 ETH_UNDELEGATE_7702 EXECUTE_SWAP
  EXECUTE_SWAP_V2 EXPORT_PRIVATE_KEY EXPORT_SECRETS EXPORT_WALLET EXPORT_WALLET_ACCOUNT IMPORT_PRIVATE_KEY IMPORT_SECRETS
  IMPORT_WALLET INIT_FIAT_ON_RAMP INIT_IMPORT_PRIVATE_KEY INIT_IMPORT_SECRETS INIT_IMPORT_WALLET INIT_OTP INIT_OTP_AUTH
  INIT_OTP_AUTH_V2 INIT_OTP_AUTH_V3 INIT_OTP_V2 INIT_OTP_V3 INIT_USER_EMAIL_RECOVERY INIT_USER_EMAIL_RECOVERY_V2 OAUTH
  OAUTH2_AUTHENTICATE OAUTH_LOGIN OTP_AUTH OTP_LOGIN OTP_LOGIN_V2 POST_TVC_QUORUM_KEY_SHARE RECOVER_USER REJECT_ACTIVITY
  REMOVE_IP_ALLOWLIST REMOVE_ORGANIZATION_FEATURE RESTORE_TVC_DEPLOYMENT RE_ENCRYPT_TVC_QUORUM_KEY_SHARE SET_IP_ALLOWLIST
  SET_ORGANIZATION_FEATURE SET_PAYMENT_METHOD SET_PAYMENT_METHOD_V2 SIGN_RAW_PAYLOAD SIGN_RAW_PAYLOADS SIGN_RAW_PAYLOAD_V2
  SIGN_TRANSACTION SIGN_TRANSACTION_V2 SOL_SEND_TRANSACTION SOL_SEND_TRANSACTION_V2 SPARK_CLAIM_TRANSFER
  SPARK_PREPARE_LIGHTNING_RECEIVE SPARK_PREPARE_TRANSFER SPARK_SIGN_FROST STAMP_LOGIN UPDATE_ALLOWED_ORIGINS
  UPDATE_AUTH_PROXY_CONFIG UPDATE_FIAT_ON_RAMP_CREDENTIAL UPDATE_MFA_POLICY UPDATE_OAUTH2_CREDENTIAL
  UPDATE_ORGANIZATION_NAME UPDATE_POLICY UPDATE_POLICY_V2 UPDATE_PRIVATE_KEY_TAG UPDATE_ROOT_QUORUM
  UPDATE_TVC_APP_LIVE_DEPLOYMENT UPDATE_USER UPDATE_USER_EMAIL UPDATE_USER_NAME UPDATE_USER_PHONE_NUMBER UPDATE_USER_TAG
  UPDATE_WALLET UPDATE_WALLET_ACCOUNT_NAME UPDATE_WEBHOOK_ENDPOINT UPSERT_GAS_USAGE_CONFIG UPSERT_SWAP_CONFIG VERIFY_OTP
  VERIFY_OTP_V2
`;

/** Submits whose path is not the name of their kind, or whose types the interface does not list. */
const SUBMITS = `
  create_velocity_control delete_secrets delete_velocity_control earn_claim_rewards set_tvc_app_live_deployment
  update_payment_method
`;

const QUERIES = `
  get_active_policies get_activity get_api_key get_api_keys get_app_status get_authenticator get_authenticators
  get_boot_proof get_claim_earn_fees_status get_earn_claim_rewards_status get_earn_deploy_status get_earn_deposit_status
  get_earn_withdraw_status get_gas_usage get_ip_allowlist get_latest_boot_proof get_mfa_policies get_mfa_policy
  get_mfa_status get_nonces get_oauth2_credential get_oauth_providers get_onramp_transaction_status get_organization
  get_organization_configs get_policy get_policy_evaluations get_private_key get_send_transaction_status
  get_session_profile get_session_profiles get_smart_contract_interface get_swap_status get_tvc_app get_tvc_deployment
  get_tvc_deployment_debug_logs get_tvc_deployment_provisioning_details get_tvc_qos_versions get_user get_velocity_control
  get_wallet get_wallet_account get_wallet_address_balances list_activities list_app_proofs list_earn_enabled_vaults
  list_earn_positions list_earn_rewards list_earn_vaults list_email_events list_eth_transaction_history
  list_fiat_on_ramp_credentials list_oauth2_credentials list_policies list_private_key_tags list_private_keys list_secrets
  list_smart_contract_interfaces list_sol_transaction_history list_suborgs list_supported_assets list_tvc_app_deployments
  list_tvc_apps list_tvc_operators list_tvc_quorum_keys list_user_tags list_users list_velocity_controls
  list_verified_suborgs list_wallet_accounts list_wallets list_webhook_endpoints validate_tvc_image whoami
`;

/** Those of activities that are not served yet. */
const RESOURCES = [
  ...['AUTH', 'AUTH_PROXY', 'CONFIG', 'FIAT_TRANSACTION', 'INVITATION', 'MFA_POLICY', 'ON_RAMP_CREDENTIALS', 'OTP'],
  ...['PAYMENT_METHOD', 'RECOVERY', 'SECRET', 'SESSION_PROFILE', 'SPONSORSHIP', 'SUBSCRIPTION', 'TVC_APP', 'TVC_DEPLOYMENT'],
  ...['TVC_OPERATOR', 'TVC_QUORUM_KEY', 'WEBHOOK_ENDPOINT'],
];

const words = (text: string): string[] => text.trim().split(/\s+/);
const kinds = [...new Set(words(TYPES).map((name) => name.replace(/_V\d+$/, '')))];

export const interfaceNames = {
  type: words(TYPES).map((name) => `ACTIVITY_TYPE_${name}`),
  kind: kinds,
  resource: RESOURCES,
  action: ['VERIFY', 'ENCRYPT'],
};

export const interfacePaths: readonly string[] = [
  ...kinds.map((kind) => `/public/v1/submit/${kind.toLowerCase()}`),
  ...words(SUBMITS).map((name) => `/public/v1/submit/${name}`),
  ...words(QUERIES).map((name) => `/public/v1/query/${name}`),
];
