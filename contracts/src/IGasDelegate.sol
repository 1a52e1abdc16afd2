// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice One call of a batch.
/// @param to The account or contract that is called.
/// @param value Wei that goes with the call, from the balance of the account that signed.
/// @param data Selector and arguments; empty for a plain transfer.
struct Call {
    address to;
    uint256 value;
    bytes data;
}

/// @title What an account can do while it is delegated (EIP-7702) to a GasDelegate
/// @notice Every `data` below is packed: signature (65 bytes: r, s, v) ‖ nonce (16, big-endian) ‖ deadline (4, big-endian, seconds since
/// 1970) ‖ the data of the call. A batch has the data of its calls in `calls`, and nothing after the deadline.
interface IGasDelegate {
    /// @notice The nonce is not the account's next one. A message that was carried out already meets this error.
    error InvalidNonce();
    /// @notice The block is later than the deadline.
    error DeadlineExceeded();
    /// @notice A batch has no call, or more than MAX_BATCH_SIZE.
    error BatchSizeInvalid();
    /// @notice The message was not signed by this account, or not in this form; or `burnNonce()` was not called by the account itself.
    error NotSelf();
    /// @notice A call failed and gave no reason. If it gave one, that reason is the error.
    error ExecutionFailed();
    /// @notice The token refused the approval, or is no contract.
    error ApprovalFailed();
    /// @notice The token refused the approval, and refused an approval of zero as well.
    error ApprovalTo0Failed();
    /// @notice The token answered an approval with something other than true or nothing.
    error ApprovalReturnFalse();
    /// @notice `data` is shorter than signature, nonce and deadline; or, in a batch, longer.
    error InvalidOffset();
    /// @notice Something that a signed message called tries to carry out another message of the same account.
    error ReentrantCall();

    /// @notice Carries out one call that the account signed as `Execution`.
    function execute(address to, uint256 value, bytes calldata data) external;

    /// @notice As `execute`, and returns what the call returned.
    function executeReturns(address to, uint256 value, bytes calldata data) external returns (bytes memory);

    /// @notice Carries out 1 to MAX_BATCH_SIZE calls, in their order, that the account signed as `BatchExecution`: all of them or none.
    function executeBatch(Call[] calldata calls, bytes calldata data) external;

    /// @notice Approves `amount` of the token to `spender`, then makes the call, as the account signed in `ApproveThenExecute`. What the
    /// call leaves of the allowance stays.
    function approveThenExecute(
        address to,
        uint256 value,
        address erc20,
        address spender,
        uint256 amount,
        bytes calldata data
    ) external;

    /// @notice Spends the next nonce, so that the message that was signed with it is void. Only the account itself may call it.
    function burnNonce() external;

    /// @notice Spends the next nonce for an account that signed `BurnNonce`. Anybody may bring the signature.
    function burnNonce(bytes calldata signature, uint128 expectedNonce) external;

    /// @notice The nonce that the next message must have.
    function nonce() external view returns (uint128);
}
