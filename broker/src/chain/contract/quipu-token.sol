// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A token of a share. One issuer mints and burns it, each time under an id that serves once: a call that is made
/// again changes nothing. The issuer may pause it, and may bind transfers to a list of holders; the list is off at first.
contract QuipuToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    address public issuer;
    bool public paused;
    bool public listed;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public isAllowed;
    mapping(bytes32 => bool) public isUsed;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);
    event Minted(bytes32 indexed requestId, address indexed to, uint256 amount);
    event Burned(bytes32 indexed requestId, uint256 amount);
    event Allowed(address indexed holder, bool allowed);
    event Listed(bool listed);
    event Paused(bool paused);
    event IssuerChanged(address indexed before, address indexed issuer);

    error NotIssuer();
    error IsPaused();
    error NotAllowed(address holder);
    error IdUsed(bytes32 requestId);
    error NobodysAddress();
    error TooLittle(uint256 has, uint256 wanted);

    modifier onlyIssuer() {
        if (msg.sender != issuer) revert NotIssuer();
        _;
    }

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
        issuer = msg.sender;
        emit IssuerChanged(address(0), msg.sender);
    }

    function mint(address to, uint256 amount, bytes32 requestId) external onlyIssuer {
        _use(requestId);
        _move(address(0), to, amount);
        emit Minted(requestId, to, amount);
    }

    /// Only what the issuer itself holds can be burned.
    function burn(uint256 amount, bytes32 requestId) external onlyIssuer {
        _use(requestId);
        _move(msg.sender, address(0), amount);
        emit Burned(requestId, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        if (to == address(0)) revert NobodysAddress();
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (from == address(0) || to == address(0)) revert NobodysAddress();
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert TooLittle(allowed, amount);
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        _move(from, to, amount);
        return true;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function setAllowed(address holder, bool allowed) external onlyIssuer {
        isAllowed[holder] = allowed;
        emit Allowed(holder, allowed);
    }

    function setListed(bool listed_) external onlyIssuer {
        listed = listed_;
        emit Listed(listed_);
    }

    function setPaused(bool paused_) external onlyIssuer {
        paused = paused_;
        emit Paused(paused_);
    }

    function setIssuer(address issuer_) external onlyIssuer {
        if (issuer_ == address(0)) revert NobodysAddress();
        emit IssuerChanged(issuer, issuer_);
        issuer = issuer_;
    }

    function _use(bytes32 requestId) private {
        if (isUsed[requestId]) revert IdUsed(requestId);
        isUsed[requestId] = true;
    }

    function _move(address from, address to, uint256 amount) private {
        if (paused) revert IsPaused();
        _check(from);
        _check(to);
        if (from == address(0)) {
            if (to == address(0)) revert NobodysAddress();
            totalSupply += amount;
        } else {
            uint256 has = balanceOf[from];
            if (has < amount) revert TooLittle(has, amount);
            balanceOf[from] = has - amount;
        }
        if (to == address(0)) totalSupply -= amount;
        else balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }

    /// Where the list is on, only those on it hold tokens, and the issuer.
    function _check(address holder) private view {
        if (listed && holder != address(0) && holder != issuer && !isAllowed[holder]) revert NotAllowed(holder);
    }
}
