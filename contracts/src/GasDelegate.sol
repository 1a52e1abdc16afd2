// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Call, IGasDelegate} from "./IGasDelegate.sol";

/// @title The code that an account runs while it is delegated (EIP-7702), so that others can pay for its transactions
/// @notice An account signs a message (EIP-712) that says what to call. Anybody may bring it here and pays the gas; the value comes from the
/// account. Not audited.
///
/// Who can make this account do something: only who holds its private key. Four functions call out (`execute`, `executeReturns`,
/// `executeBatch`, `approveThenExecute`). Each of them first checks, with the bytes that it then carries out, that
/// - the deadline has not passed,
/// - the nonce is the next one, which it then spends, before any call,
/// - the signature is the account's own, over a domain that names the chain and this account. So no message works on another chain, for
///   another account, twice, or out of order.
/// If a call fails, everything is undone, the nonce too, and the transaction fails with the reason that the call gave. That reason is the
/// called contract's word: it may imitate an error of this contract.
///
/// What was signed runs without anything else of the same account in between: a contract that it calls cannot bring another signed
/// message (ReentrantCall). It may call the account's other functions, which do not act for it.
///
/// What no signature covers: who brings a message, when (before its deadline), and with how much gas. Who wants to bind these writes it into
/// the contract that is called.
///
/// There is no owner, no upgrade, no session key, no delegatecall, and no function of this contract may receive value but `receive`.
/// Used without delegation, this contract can do nothing: nobody has the key of its address.
contract GasDelegate is IGasDelegate layout at 0x34d5be385818fa5c8c4e7f9d5a028251d28ebab8aaf203a072d1dde2d49a1100 {
    uint8 public constant MAX_BATCH_SIZE = 20;

    string private constant NAME = "TKGasDelegate";
    string private constant VERSION = "1.1";

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant EXECUTION_TYPEHASH =
        keccak256("Execution(uint128 nonce,uint32 deadline,address to,uint256 value,bytes data)");
    bytes32 private constant BATCH_EXECUTION_TYPEHASH =
        keccak256(
            "BatchExecution(uint128 nonce,uint32 deadline,Call[] calls)Call(address to,uint256 value,bytes data)"
        );
    bytes32 private constant CALL_TYPEHASH = keccak256("Call(address to,uint256 value,bytes data)");
    bytes32 private constant APPROVE_THEN_EXECUTE_TYPEHASH =
        keccak256(
            "ApproveThenExecute(uint128 nonce,uint32 deadline,address erc20Contract,address spender,uint256 approveAmount,address to,uint256 value,bytes data)"
        );
    bytes32 private constant BURN_NONCE_TYPEHASH = keccak256("BurnNonce(uint128 nonce)");

    /// Half the order of secp256k1. Of the two values of s that verify, only the lower one is taken.
    uint256 private constant HIGHEST_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    uint256 private constant SIGNATURE_END = 65;
    uint256 private constant NONCE_END = 81;
    uint256 private constant DEADLINE_END = 85;

    /// The lower half of the slot that the contract's layout begins at. What an earlier delegate left in the upper half stays.
    uint128 private _nonce;

    /// Set while a message is carried out. It is gone after the transaction, whatever happens.
    bool private transient _busy;

    modifier exclusive() {
        if (_busy) revert ReentrantCall();
        _busy = true;
        _;
        _busy = false;
    }

    /// @inheritdoc IGasDelegate
    function execute(address to, uint256 value, bytes calldata data) external exclusive {
        _call(to, value, _acceptExecution(to, value, data));
    }

    /// @inheritdoc IGasDelegate
    function executeReturns(
        address to,
        uint256 value,
        bytes calldata data
    ) external exclusive returns (bytes memory) {
        _call(to, value, _acceptExecution(to, value, data));
        return _returned();
    }

    /// @inheritdoc IGasDelegate
    function executeBatch(Call[] calldata calls, bytes calldata data) external exclusive {
        uint256 count = calls.length;
        if (count == 0 || count > MAX_BATCH_SIZE) revert BatchSizeInvalid();
        if (data.length != DEADLINE_END) revert InvalidOffset();
        (uint128 signedNonce, uint32 deadline) = _open(data);
        bytes32[] memory hashes = new bytes32[](count);
        for (uint256 i = 0; i < count; i++) {
            Call calldata each = calls[i];
            hashes[i] = keccak256(abi.encode(CALL_TYPEHASH, each.to, each.value, keccak256(each.data)));
        }
        bytes32 structHash = keccak256(
            abi.encode(BATCH_EXECUTION_TYPEHASH, signedNonce, deadline, keccak256(abi.encodePacked(hashes)))
        );
        _accept(structHash, signedNonce, data[:SIGNATURE_END]);
        for (uint256 i = 0; i < count; i++) _call(calls[i].to, calls[i].value, calls[i].data);
    }

    /// @inheritdoc IGasDelegate
    function approveThenExecute(
        address to,
        uint256 value,
        address erc20,
        address spender,
        uint256 amount,
        bytes calldata data
    ) external exclusive {
        (uint128 signedNonce, uint32 deadline) = _open(data);
        bytes32 structHash = keccak256(
            abi.encode(
                APPROVE_THEN_EXECUTE_TYPEHASH,
                signedNonce,
                deadline,
                erc20,
                spender,
                amount,
                to,
                value,
                keccak256(data[DEADLINE_END:])
            )
        );
        _accept(structHash, signedNonce, data[:SIGNATURE_END]);
        _approve(erc20, spender, amount);
        _call(to, value, data[DEADLINE_END:]);
    }

    /// @inheritdoc IGasDelegate
    function burnNonce() external {
        if (msg.sender != address(this)) revert NotSelf();
        _nonce++;
    }

    /// @inheritdoc IGasDelegate
    function burnNonce(bytes calldata signature, uint128 expectedNonce) external {
        _accept(keccak256(abi.encode(BURN_NONCE_TYPEHASH, expectedNonce)), expectedNonce, signature);
    }

    /// @inheritdoc IGasDelegate
    function nonce() external view returns (uint128) {
        return _nonce;
    }

    /// @notice Whether the account signed this hash (ERC-1271): the same signatures count as before the account had code.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return _isOwn(hash, signature) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @notice The domain of this account's messages (ERC-5267).
    function eip712Domain()
        external
        view
        returns (
            bytes1 fields,
            string memory name,
            string memory version,
            uint256 chainId,
            address verifyingContract,
            bytes32 salt,
            uint256[] memory extensions
        )
    {
        return (0x0f, NAME, VERSION, block.chainid, address(this), bytes32(0), new uint256[](0));
    }

    /// @notice An account takes plain transfers as it did before it had code.
    receive() external payable {}

    /// @notice An account takes tokens of ERC-721 as it did before it had code.
    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC721Received.selector;
    }

    /// @notice As above, for ERC-1155.
    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC1155Received.selector;
    }

    /// @notice As above, for ERC-1155.
    function onERC1155BatchReceived(
        address,
        address,
        uint256[] calldata,
        uint256[] calldata,
        bytes calldata
    ) external pure returns (bytes4) {
        return this.onERC1155BatchReceived.selector;
    }

    /// @notice ERC-165 itself, the receivers of ERC-721 and ERC-1155, and ERC-1271.
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x150b7a02 || id == 0x4e2312e0 || id == 0x1626ba7e;
    }

    /// Accepts one call. Returns the call's data.
    function _acceptExecution(address to, uint256 value, bytes calldata data) private returns (bytes calldata callData) {
        (uint128 signedNonce, uint32 deadline) = _open(data);
        callData = data[DEADLINE_END:];
        bytes32 structHash = keccak256(
            abi.encode(EXECUTION_TYPEHASH, signedNonce, deadline, to, value, keccak256(callData))
        );
        _accept(structHash, signedNonce, data[:SIGNATURE_END]);
    }

    /// Reads nonce and deadline, and refuses a deadline that has passed.
    function _open(bytes calldata data) private view returns (uint128 signedNonce, uint32 deadline) {
        if (data.length < DEADLINE_END) revert InvalidOffset();
        signedNonce = uint128(bytes16(data[SIGNATURE_END:NONCE_END]));
        deadline = uint32(bytes4(data[NONCE_END:DEADLINE_END]));
        if (block.timestamp > deadline) revert DeadlineExceeded();
    }

    /// The one place where a message is accepted: its nonce must be the next, and its signature this account's. Spends the nonce.
    function _accept(bytes32 structHash, uint128 signedNonce, bytes calldata signature) private {
        if (signedNonce != _nonce) revert InvalidNonce();
        // The separator is made anew each time: the chain's id may change in a fork, and the account is not known when this is compiled.
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPEHASH,
                keccak256(bytes(NAME)),
                keccak256(bytes(VERSION)),
                block.chainid,
                address(this)
            )
        );
        if (!_isOwn(keccak256(abi.encodePacked(hex"1901", domain, structHash)), signature)) revert NotSelf();
        _nonce = signedNonce + 1;
    }

    /// Whether it is this account's signature, in the one form that is taken: 65 bytes, the lower s, v of 27 or 28.
    function _isOwn(bytes32 hash, bytes calldata signature) private view returns (bool) {
        if (signature.length != SIGNATURE_END) return false;
        bytes32 s = bytes32(signature[32:64]);
        if (uint256(s) > HIGHEST_S) return false;
        // Address zero stands for a signature that does not verify, or another v. It is never this account's address.
        return ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), s) == address(this);
    }

    /// Some tokens change an allowance only from or to zero: they are asked again, by way of zero.
    function _approve(address erc20, address spender, uint256 amount) private {
        if (erc20.code.length == 0) revert ApprovalFailed();
        if (_tryApprove(erc20, spender, amount)) return;
        if (!_tryApprove(erc20, spender, 0)) revert ApprovalTo0Failed();
        if (!_tryApprove(erc20, spender, amount)) revert ApprovalFailed();
    }

    /// Some tokens answer nothing to an approval that they carried out.
    function _tryApprove(address erc20, address spender, uint256 amount) private returns (bool) {
        (bool done, bytes memory answer) = erc20.call(
            abi.encodeWithSignature("approve(address,uint256)", spender, amount)
        );
        if (!done) return false;
        if (answer.length != 0 && (answer.length < 32 || uint256(bytes32(answer)) != 1)) revert ApprovalReturnFalse();
        return true;
    }

    /// Makes a call. If it fails, so does everything, with the reason that it gave.
    function _call(address to, uint256 value, bytes calldata data) private {
        bool done;
        // Not written in plain Solidity, which would copy whatever the call returns, at the cost of who pays for the gas.
        assembly ("memory-safe") {
            let free := mload(0x40)
            calldatacopy(free, data.offset, data.length)
            done := call(gas(), to, value, free, data.length, 0, 0)
            if iszero(done) {
                if returndatasize() {
                    returndatacopy(free, 0, returndatasize())
                    revert(free, returndatasize())
                }
            }
        }
        if (!done) revert ExecutionFailed();
    }

    /// What the last call returned.
    function _returned() private pure returns (bytes memory answer) {
        assembly ("memory-safe") {
            answer := mload(0x40)
            let size := returndatasize()
            mstore(answer, size)
            returndatacopy(add(answer, 32), 0, size)
            mstore(0x40, and(add(add(answer, size), 63), not(31)))
        }
    }
}
