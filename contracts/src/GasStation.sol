// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Call, IGasDelegate} from "./IGasDelegate.sol";

/// @title One address through which signed messages reach the accounts that are delegated to one GasDelegate
/// @notice Who pays for the gas calls this contract, with the account as `target`. Not audited.
///
/// It adds one check, that the account is delegated to the delegate that this station was made for, and hands the call on as it is. Without
/// that check, a call to an account without code would succeed and do nothing, and an account with other code could do what it likes at the
/// payer's cost. Whether the account agreed is checked by the account's own code.
///
/// It keeps nothing: no value (no function receives any), no token, no allowance, no state. Nobody owns it. Anybody may call it. The account
/// sees this contract as the caller and gives it no rights.
contract GasStation {
    /// @notice The account is not delegated to this station's delegate.
    error NotDelegated();
    /// @notice The account's code failed and gave no reason. If it gave one, that reason is the error.
    error ExecutionFailed();

    /// @notice The delegate that this station serves.
    address public immutable TK_GAS_DELEGATE;

    /// The hash of the 23 bytes that a delegated account has as its code.
    bytes32 private immutable _DELEGATED_CODE_HASH;

    /// @param delegate A GasDelegate that is deployed already: without code there, NotDelegated.
    constructor(address delegate) {
        if (delegate.code.length == 0) revert NotDelegated();
        TK_GAS_DELEGATE = delegate;
        _DELEGATED_CODE_HASH = keccak256(abi.encodePacked(hex"ef0100", delegate));
    }

    /// @notice Carries out one call of `target`. `data`: see IGasDelegate.
    function execute(address target, address to, uint256 ethAmount, bytes calldata data) external {
        _forward(target, abi.encodeCall(IGasDelegate.execute, (to, ethAmount, data)));
    }

    /// @notice As `execute`, and returns what the call returned.
    function executeReturns(
        address target,
        address to,
        uint256 ethAmount,
        bytes calldata data
    ) external returns (bytes memory) {
        return abi.decode(_forward(target, abi.encodeCall(IGasDelegate.executeReturns, (to, ethAmount, data))), (bytes));
    }

    /// @notice Carries out the calls of `target`, all of them or none.
    function executeBatch(address target, Call[] calldata calls, bytes calldata data) external {
        _forward(target, abi.encodeCall(IGasDelegate.executeBatch, (calls, data)));
    }

    /// @notice Approves a token of `target`, then makes the call.
    function approveThenExecute(
        address target,
        address to,
        uint256 ethAmount,
        address erc20,
        address spender,
        uint256 approveAmount,
        bytes calldata data
    ) external {
        _forward(
            target,
            abi.encodeCall(IGasDelegate.approveThenExecute, (to, ethAmount, erc20, spender, approveAmount, data))
        );
    }

    /// @notice The nonce that the next message of `target` must have. It fails for an account that is not delegated: its nonce may not be
    /// zero, if it was delegated before.
    function getNonce(address target) external view returns (uint128) {
        if (!isDelegated(target)) revert NotDelegated();
        return IGasDelegate(target).nonce();
    }

    /// @notice Whether the code of `target` is 0xef0100 ‖ the delegate (EIP-7702).
    function isDelegated(address target) public view returns (bool) {
        return target.codehash == _DELEGATED_CODE_HASH;
    }

    function _forward(address target, bytes memory call) private returns (bytes memory answer) {
        if (!isDelegated(target)) revert NotDelegated();
        bool done;
        (done, answer) = target.call(call);
        if (done) return answer;
        if (answer.length == 0) revert ExecutionFailed();
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }
}
