/**
 * Operations of the interface that this version does not serve yet, so that a client hears which it is: that, or a
 * mistyped path. A test takes out of here what is served.
 */
const SUBMITS = `
  accept_invitation activate_billing_tier claim_earn_fees claim_swap_fees create_api_only_users create_authenticators
  create_fiat_on_ramp_credential create_invitations create_mfa_policy create_oauth2_credential create_oauth_providers
  create_organization create_private_key_tag create_read_only_session create_read_write_session create_session_profile
  create_swap_quote create_tvc_app create_tvc_deployment create_tvc_manifest_approvals create_tvc_operator create_tvc_quorum_key
  create_velocity_control create_webhook_endpoint delete_authenticators delete_fiat_on_ramp_credential delete_invitation
  delete_mfa_policy delete_oauth2_credential delete_oauth_providers delete_organization delete_payment_method
  delete_private_key_tags delete_secrets delete_sub_organization delete_tvc_app_and_deployments delete_tvc_deployment
  delete_velocity_control delete_webhook_endpoint disable_auth_proxy earn_claim_rewards earn_deploy_wrapper earn_deposit
  earn_set_wrapper_state earn_withdraw email_auth enable_auth_proxy eth_send_raw_transaction eth_send_transaction
  eth_undelegate_7702 execute_swap export_secrets import_secrets init_fiat_on_ramp init_import_secrets init_otp init_otp_auth
  init_user_email_recovery oauth oauth2_authenticate oauth_login otp_auth otp_login post_tvc_quorum_key_share
  re_encrypt_tvc_quorum_key_share recover_user remove_ip_allowlist restore_tvc_deployment set_ip_allowlist set_payment_method
  set_tvc_app_live_deployment sol_send_transaction spark_claim_transfer spark_prepare_lightning_receive spark_prepare_transfer
  spark_sign_frost stamp_login update_allowed_origins update_auth_proxy_config update_fiat_on_ramp_credential update_mfa_policy
  update_oauth2_credential update_payment_method update_private_key_tag update_user update_user_email update_user_name
  update_user_phone_number update_webhook_endpoint upsert_gas_usage_config upsert_swap_config verify_otp
`;

const QUERIES = `
  get_active_policies get_api_key get_app_status get_authenticator get_authenticators get_boot_proof get_claim_earn_fees_status
  get_earn_claim_rewards_status get_earn_deploy_status get_earn_deposit_status get_earn_withdraw_status get_gas_usage
  get_ip_allowlist get_latest_boot_proof get_mfa_policies get_mfa_policy get_mfa_status get_nonces get_oauth2_credential
  get_oauth_providers get_onramp_transaction_status get_organization get_send_transaction_status get_session_profile
  get_session_profiles get_swap_status get_tvc_app get_tvc_deployment get_tvc_deployment_debug_logs
  get_tvc_deployment_provisioning_details get_tvc_qos_versions get_velocity_control get_wallet_address_balances list_app_proofs
  list_earn_enabled_vaults list_earn_positions list_earn_rewards list_earn_vaults list_email_events list_eth_transaction_history
  list_fiat_on_ramp_credentials list_oauth2_credentials list_private_key_tags list_secrets list_sol_transaction_history
  list_supported_assets list_tvc_app_deployments list_tvc_apps list_tvc_operators list_tvc_quorum_keys list_velocity_controls
  list_verified_suborgs list_webhook_endpoints validate_tvc_image
`;

const paths = (prefix: string, names: string) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `/public/v1/${prefix}/${name}`);

export const UNSERVED: ReadonlySet<string> = new Set([...paths('submit', SUBMITS), ...paths('query', QUERIES)]);
